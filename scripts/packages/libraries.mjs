/** The libraries that are published, and how each is packed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folders in libs/, each after its dependencies: the order of publication. */
export const libraries = [
  'zk-protocol',
  'zk-client',
  'zk-embedded',
  'zk-locks',
  'zk-lock-cli',
  'nestjs-zk-lock',
];

export const folderOf = (library) => join(root, 'libs', library);

export const manifestOf = (library) => readJson(join(folderOf(library), 'package.json'));

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The web address of the repository, from a manifest's `repository`. */
export const siteOf = ({ repository }) => repository.url.replaceAll(/^git\+|\.git$/g, '');

/**
 * The files of each entry point: `{ name, source, types, code }`. `health` is `src/health/index.ts`,
 * has its types from tsc in `build`, and is `dist/health.cjs` once it is bundled.
 */
export function entryPointsOf(folder) {
  return Object.values(readJson(join(folder, 'package.json')).exports)
    .filter((target) => typeof target === 'object')
    .map((target) => basename(target.default, '.cjs'))
    .map((name) => {
      const module = name === 'index' ? name : `${name}/index`;
      return {
        name,
        source: join(folder, 'src', `${module}.ts`),
        types: join(folder, 'build', `${module}.d.ts`),
        code: join(folder, 'dist', `${name}.cjs`),
      };
    });
}

/** Packs all libraries as they would be published. Returns npm's reports in the same order. */
export function packLibraries(...options) {
  const workspaces = libraries.flatMap((library) => ['--workspace', `libs/${library}`]);
  return JSON.parse(run('npm', ['pack', '--json', '--silent', ...workspaces, ...options]));
}

/** The standard output of a command that must succeed. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(
    `${command} ${args.join(' ')} failed: ${error?.message ?? ''}\n${stdout}${stderr}`,
  );
}
