import { execFile } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

/** Simulates that npm `zookeeper` is not installed. */
const WITHOUT_ZOOKEEPER = `
  import Module from 'node:module';
  const { _resolveFilename: resolve } = Module;
  Module._resolveFilename = function (request, ...rest) {
    if (request === 'zookeeper') throw Object.assign(new Error("Cannot find module 'zookeeper'\\nRequire stack: …"), { code: 'MODULE_NOT_FOUND' });
    return resolve.call(this, request, ...rest);
  };
`;

const program = new URL('lock-once.mjs', import.meta.url);

interface Told {
  readonly log: readonly string[];
  readonly isHeld?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Options for a lock with the default client, and for one with npm `zookeeper`. */
function environment(): NodeJS.ProcessEnv {
  const options = { servers: sharedServer().connectString, root: uniqueRoot() };
  const LOCK_OPTIONS = JSON.stringify([options, { ...options, client: 'native' }]);
  return { ...process.env, ZK_LOCKS_CLIENT: '', LOCK_OPTIONS };
}

/** Runs in a separate thread, which ends when it has nothing left to do. */
async function lockInThread(): Promise<Told[]> {
  return (await json(new Worker(program, { env: environment(), stdout: true }).stdout)) as Told[];
}

async function lockWithoutZooKeeper(): Promise<Told[]> {
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_ZOOKEEPER)}`;
  const args = ['--import', preload, fileURLToPath(program)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment() });
  return JSON.parse(stdout) as Told[];
}

it.each([
  [
    'where npm `zookeeper` is not installed',
    lockWithoutZooKeeper,
    /`client`.*\(Cannot find module 'zookeeper'\)\. Run `npm install zookeeper`.*client: 'wire'/,
  ],
  [
    'off the main thread, where npm `zookeeper` may not be loaded',
    lockInThread,
    /`client`.*main thread.*client: 'wire'.*child process/,
  ],
])(
  'the default client works %s; the native one is refused, with what to do',
  async (_, lock, remedy) => {
    const [byDefault, byNative] = await lock();
    expect(byDefault).toMatchObject({ isHeld: true });
    expect(byDefault?.log).toContain('Using client "wire" (zk-client).');
    expect(byNative?.error?.code).toBe('ZK_LOCK_CONFIG');
    expect(byNative?.error?.message).toMatch(remedy);
  },
);
