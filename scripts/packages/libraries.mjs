/** The libraries that are published, and how each is packed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Their folders in libs/, each after those it depends on: the order in which they are published. */
export const libraries = ['zk-protocol', 'zk-client', 'zk-embedded', 'zk-lock'];

export const manifestOf = (library) => readJson(join(root, 'libs', library, 'package.json'));

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The files that types and code of each entry point come from: `{ name, types, code }`. */
export function entryPointsOf(library) {
  return Object.entries(manifestOf(library).exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path, target]) => ({
      name: path === '.' ? 'index' : path.slice('./'.length),
      types: join(root, 'libs', library, target.types),
      code: join(root, 'libs', library, target.default),
    }));
}

/** Packs all of them as they would be published; one report of npm for each, in the same order. */
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
