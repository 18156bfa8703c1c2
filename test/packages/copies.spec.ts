import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { folderOf, manifestOf, root } from './manifests.js';

const run = promisify(execFile);
const { version } = manifestOf('nestjs-zk-lock');

/** A program that uses the module of one copy and the decorators of another. */
const PROGRAM = `
  require('reflect-metadata');
  const { Module } = require('@nestjs/common');
  const { NestFactory } = require('@nestjs/core');
  const { ZkLockModule } = require('nestjs-zk-lock');
  const other = require(process.argv[1]);

  class Orders {
    async ship() {}
  }
  const ship = Object.getOwnPropertyDescriptor(Orders.prototype, 'ship');
  Object.defineProperty(Orders.prototype, 'ship', other.Locked('order')(Orders.prototype, 'ship', ship) ?? ship);

  class AppModule {}
  Module({
    imports: [ZkLockModule.forRoot({ servers: '127.0.0.1:1', lazy: true })],
    providers: [Orders],
  })(AppModule);

  (async () => {
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    const error = await app.get(Orders).ship().catch((error) => error);
    console.log(JSON.stringify({ code: error.code, message: error.message }));
    await app.close();
  })();
`;

/** Copies the built library with another version number. */
function addCopy(otherVersion: string, library = 'nestjs-zk-lock'): string {
  const copy = makeTempDir('copy');
  onTestFinished(() => removeTempDir(copy));
  cpSync(join(folderOf(library), 'dist'), copy, { recursive: true });
  for (const entry of readdirSync(copy, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(copy, entry.name);
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, code.replaceAll(`"${version}"`, `"${otherVersion}"`));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Bundles the same version, as a library does that is published with its dependencies inside. */
async function addBundle(): Promise<string> {
  const folder = makeTempDir('bundle');
  onTestFinished(() => removeTempDir(folder));
  const outfile = join(folder, 'bundle.cjs');
  await esbuild.build({
    stdin: { contents: "export { Locked } from 'nestjs-zk-lock';", resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    // Bundles the built files: the `paths` of the repository would lead to the sources.
    tsconfigRaw: '{}',
    logLevel: 'error',
    external: ['@nestjs/*', 'reflect-metadata', 'rxjs', 'zookeeper'],
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return outfile;
}

interface Outcome {
  readonly stderr: string;
  readonly code: string;
  readonly message: string;
}

async function runBeside(copy: string): Promise<Outcome> {
  const { stdout, stderr } = await run(process.execPath, ['-e', PROGRAM, copy], { cwd: root });
  return { stderr, ...(JSON.parse(stdout) as { code: string; message: string }) };
}

const bothPlaces = (otherVersion: string, copy: string): RegExp =>
  new RegExp(
    `2 copies of nestjs-zk-lock: ${version} at ${folderOf('nestjs-zk-lock')}/dist/\\S+, ${otherVersion} at ${copy}\\S*\\.`,
  );

it('names two copies in one process, in a warning when they are loaded and in the error of a method without its lock', async () => {
  const copy = addCopy('0.0.9');
  const { stderr, code, message } = await runBeside(join(copy, 'index.cjs'));

  const places = bothPlaces('0.0.9', copy);
  expect(stderr).toMatch(/\[ZK_LOCK_COPIES\] Warning: /);
  expect(stderr).toMatch(places);
  expect(code).toBe('LOCKED_NOT_SET_UP');
  expect(message).toMatch(places);
  expect(message).not.toContain('Import ZkLockModule');
});

it('names a bundled copy beside the installed one', async () => {
  const bundle = await addBundle();
  const { stderr, code, message } = await runBeside(bundle);

  const places = bothPlaces(version, bundle);
  expect(stderr).toMatch(places);
  expect(code).toBe('LOCKED_NOT_SET_UP');
  expect(message).toMatch(places);
  expect(message).not.toContain('Import ZkLockModule');
});

it('does not report copies if the same copy is loaded again', async () => {
  const program = `
    const path = require.resolve('nestjs-zk-lock');
    const { LockService } = require(path);
    for (const file of Object.keys(require.cache)) delete require.cache[file];
    console.log(require(path).LockService === LockService);`;
  const { stdout, stderr } = await run(process.execPath, ['-e', program], { cwd: root });
  expect({ stdout, stderr }).toEqual({ stdout: 'false\n', stderr: '' });
});
