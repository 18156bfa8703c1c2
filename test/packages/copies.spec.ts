import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { folderOf, manifestOf, root } from './manifests.js';

const run = promisify(execFile);
const { version } = manifestOf('zk-lock');

/** A program whose module comes from one copy, and whose decorators come from another one. */
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

/** The built library once more, in another version. */
function addCopy(otherVersion: string): string {
  const copy = makeTempDir('copy');
  onTestFinished(() => removeTempDir(copy));
  cpSync(join(folderOf('zk-lock'), 'dist'), copy, { recursive: true });
  for (const name of readdirSync(copy)) {
    const code = readFileSync(join(copy, name), 'utf8');
    writeFileSync(join(copy, name), code.replaceAll(`"${version}"`, `"${otherVersion}"`));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

it('names two copies in one process, when they are loaded and where one misses the other', async () => {
  const copy = addCopy('0.0.9');
  const args = ['-e', PROGRAM, join(copy, 'index.cjs')];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: root });

  const places = new RegExp(
    `2 copies of nestjs-zk-lock: ${version} at ${folderOf('zk-lock')}/dist/\\S+, 0.0.9 at ${copy}/\\S+\\.`,
  );
  expect(stderr).toMatch(/\[ZK_LOCK_COPIES\] Warning: /);
  expect(stderr).toMatch(places);
  const { code, message } = JSON.parse(stdout) as { code: string; message: string };
  expect(code).toBe('LOCKED_NOT_SET_UP');
  expect(message).toMatch(places);
  expect(message).not.toContain('Import ZkLockModule');
});

it('says nothing of copies where the one copy is loaded again', async () => {
  const program = `
    const path = require.resolve('nestjs-zk-lock');
    const { LockService } = require(path);
    for (const file of Object.keys(require.cache)) delete require.cache[file];
    console.log(require(path).LockService === LockService);`;
  const { stdout, stderr } = await run(process.execPath, ['-e', program], { cwd: root });
  expect({ stdout, stderr }).toEqual({ stdout: 'false\n', stderr: '' });
});
