/** A project as `nest new` and `nest add` make it, its configuration untouched, with the packed libraries. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run } from '../packages/libraries.mjs';

/** Nest's command line, as the project has it. */
export const NEST = 'node_modules/@nestjs/cli/bin/nest.js';

/** The end-to-end test as `nest new` has made it, beside the one that `nest add` has changed. */
export const GENERATED_TEST = 'generated.e2e-spec';

/** Tools that the checks need in addition to the project's own. */
const TOOLS = ['esbuild', 'webpack', 'ts-node'];

/** The files that a project gets in `src`: a program, and the code of the README and of the guide to testing. */
const SOURCES = [
  'test/packages/consumer/bare.ts',
  'test/docs/readme/order.service.ts',
  'test/docs/readme/order.service.spec.ts',
];
const EXAMPLE = 'test/testing/example';

/**
 * @param parent a folder outside of this repository, whose packages the project would find
 * @param tarballs `{ name: 'file:…' }`, as `packInto` returns them
 * @param servers what the project's `ZkLockModule` connects to
 * @returns its folder
 */
export function createProject(nest, parent, tarballs, servers) {
  const name = `nest${nest}`;
  const options = ['--skip-git', '--skip-install', '--package-manager=npm'];
  npm(parent, ['exec', '--yes', '--', `@nestjs/cli@${nest}`, 'new', name, ...options]);
  const project = join(parent, name);
  const test = join(project, 'test');
  copyFileSync(join(test, 'app.e2e-spec.ts'), join(test, `${GENERATED_TEST}.ts`));
  npm(project, ['install', '--save-dev', ...TOOLS, ...Object.values(tarballs)]);
  const add = [NEST, 'add', 'nestjs-zk-lock', '--skip-install', `--servers=${servers}`];
  run(process.execPath, add, { cwd: project, shell: false });
  addSources(project, nest === '11' ? forJest : (source) => source);
  return project;
}

function npm(cwd, args) {
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  run('npm', [...options, '--loglevel=error', ...args], { cwd });
}

function addSources(project, translate) {
  const example = readdirSync(join(root, EXAMPLE)).map((name) => join(EXAMPLE, name));
  for (const path of [...SOURCES, ...example]) {
    const name = basename(path).replace('.e2e-spec', '.spec');
    writeFileSync(join(project, 'src', name), translate(readFileSync(join(root, path), 'utf8')));
  }
}

/** `describe`, `it` and `expect` are globals there, and its modules are found without an extension. */
const forJest = (source) =>
  source
    .replace(/^import .* from 'vitest';\n/m, '')
    .replaceAll('vi.', 'jest.')
    .replace(/^(import .* from '\.\/.*)\.js';$/gm, "$1';");
