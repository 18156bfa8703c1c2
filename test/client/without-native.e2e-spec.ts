import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

const run = promisify(execFile);

/** As where `npm install` could not compile it: then npm takes the optional package away again. */
const WITHOUT_ZOOKEEPER = `
  import Module from 'node:module';
  const { _resolveFilename: resolve } = Module;
  Module._resolveFilename = function (request, ...rest) {
    if (request === 'zookeeper') throw Object.assign(new Error('not found'), { code: 'MODULE_NOT_FOUND' });
    return resolve.call(this, request, ...rest);
  };
`;

const PROGRAM = `
  import { LockManager } from '@library';
  const log = [];
  const note = (line) => log.push(line);
  const logger = { debug: note, log: note, warn: note, error: note };
  const { SERVERS: servers, ROOT: root, CLIENT: client } = process.env;
  const locks = new LockManager({ servers, root, ...(client && { client }) }, logger);
  try {
    await locks.start();
    const lock = await locks.acquire('k');
    console.log(JSON.stringify({ log, isHeld: lock.isHeld }));
    await locks.close();
  } catch ({ code, message }) {
    console.log(JSON.stringify({ code, message }));
  }
`;

async function lockWithoutZooKeeper(client?: string): Promise<Record<string, unknown>> {
  const library = new URL('../../libs/zk-lock/dist/locks/lock-manager.js', import.meta.url);
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_ZOOKEEPER)}`;
  const program = PROGRAM.replace('@library', library.href);
  const { stdout } = await run(
    process.execPath,
    ['--import', preload, '--input-type=module', '-e', program],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: {
        ...process.env,
        SERVERS: sharedServer().connectString,
        ROOT: uniqueRoot(),
        CLIENT: client ?? '',
        NESTJS_ZK_LOCK_CLIENT: '',
      },
    },
  );
  return JSON.parse(stdout) as Record<string, unknown>;
}

it('works without npm `zookeeper`, and says so', async () => {
  const { log, isHeld } = await lockWithoutZooKeeper();
  expect(isHeld).toBe(true);
  expect(log).toContain(
    'Speaks to ZooKeeper by zk-client, for npm `zookeeper` could not be loaded.',
  );
});

it('says what to install where npm `zookeeper` was asked for', async () => {
  const { code, message } = await lockWithoutZooKeeper('native');
  expect(code).toBe('ZK_NATIVE_CLIENT');
  expect(message).toMatch(/python3, make and g\+\+.*npm install zookeeper.*client/);
});
