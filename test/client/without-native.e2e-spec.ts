import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

const run = promisify(execFile);

/** As in an application that has not installed it. */
const WITHOUT_ZOOKEEPER = `
  import Module from 'node:module';
  const { _resolveFilename: resolve } = Module;
  Module._resolveFilename = function (request, ...rest) {
    if (request === 'zookeeper') throw Object.assign(new Error("Cannot find module 'zookeeper'\\nRequire stack: …"), { code: 'MODULE_NOT_FOUND' });
    return resolve.call(this, request, ...rest);
  };
`;

interface Told {
  readonly log: readonly string[];
  readonly isHeld?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

async function lockWithoutZooKeeper(options: Partial<ZkLockModuleOptions> = {}): Promise<Told> {
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_ZOOKEEPER)}`;
  const program = fileURLToPath(new URL('lock-once.mjs', import.meta.url));
  const all = { servers: sharedServer().connectString, root: uniqueRoot(), ...options };
  const { stdout } = await run(process.execPath, ['--import', preload, program], {
    env: { ...process.env, ZK_LOCKS_CLIENT: '', LOCK_OPTIONS: JSON.stringify(all) },
  });
  return JSON.parse(stdout) as Told;
}

it('works by the default client without npm `zookeeper`', async () => {
  const { log, isHeld } = await lockWithoutZooKeeper();
  expect(isHeld).toBe(true);
  expect(log).toContain('Using client "wire" (zk-client).');
});

it('says what to install where npm `zookeeper` was asked for', async () => {
  const { error } = await lockWithoutZooKeeper({ client: 'native' });
  expect(error?.code).toBe('ZK_LOCK_CONFIG');
  expect(error?.message).toMatch(
    /`client`.*\(Cannot find module 'zookeeper'\)\. Run `npm install zookeeper`.*client: 'wire'/,
  );
});
