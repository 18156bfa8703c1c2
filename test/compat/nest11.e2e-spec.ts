import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { packLibrary, root, run } from './pack.js';

const fixture = join(root, 'test/compat/nest11');
const library = join(fixture, 'node_modules/nestjs-zk-lock');

/**
 * Installs the library as npm would, from its tarball. Through the workspace's own link it would
 * find the repository's Nest 12.
 */
async function installPacked(): Promise<void> {
  const directory = makeTempDir('packed');
  const tarball = await packLibrary('nestjs-zk-lock', directory);
  rmSync(library, { recursive: true, force: true });
  mkdirSync(library, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', library, '--strip-components', '1']);
  removeTempDir(directory);
}

it('compiles and works with Nest 11, installed from its tarball', { timeout: 60_000 }, async () => {
  await installPacked();
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', join(fixture, 'tsconfig.json')]);
  const { stdout } = await run(process.execPath, [
    join(fixture, 'dist/app.js'),
    sharedServer().connectString,
    uniqueRoot(),
  ]);
  expect(JSON.parse(stdout)).toEqual({
    nest: expect.stringMatching(/^11\./) as string,
    ship: 'order:7 true',
    busy: 423,
    health: 200,
    tested: 'order:8 true',
  });
});
