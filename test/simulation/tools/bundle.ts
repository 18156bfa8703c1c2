import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { changedSource, sourceOf } from '../mutants/changed-source.js';
import type { Mutant } from '../mutants/mutant.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = (path: string): string => join(root, 'libs', path, 'src/index.ts');
const entry = (library: string, name: string): string =>
  join(root, 'libs', library, 'src', name, 'index.ts');

/**
 * Bundles the simulator with the libraries' sources.
 *
 * @param mutant a mistake to plant in them
 */
export async function bundle(outfile: string, mutant?: Mutant): Promise<void> {
  await build({
    entryPoints: [join(root, 'test/simulation/program.ts')],
    outfile,
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node20' },
    ...{ external: ['zookeeper'], logLevel: 'error', sourcemap: 'inline' },
    alias: {
      'zk-protocol': source('zk-protocol'),
      'zk-client/native': entry('zk-client', 'native'),
      'zk-client/recipes': entry('zk-client', 'recipes'),
      'zk-client': source('zk-client'),
      'zk-locks/events': entry('zk-locks', 'events'),
      'zk-locks': source('zk-locks'),
    },
    plugins: mutant ? [mutating(mutant)] : [],
  });
}

function mutating(mutant: Mutant): Plugin {
  return {
    name: 'mutant',
    setup: ({ onEnd, onLoad }) => {
      let isLoaded = false;
      onLoad({ filter: /\/zk-(locks|client)\/src\// }, ({ path }) => {
        if (path !== sourceOf(mutant)) return undefined;
        isLoaded = true;
        return { contents: changedSource(mutant), loader: 'ts' };
      });
      onEnd(() => {
        if (!isLoaded) throw new Error(`${mutant.file} is not in the bundle`);
      });
    },
  };
}
