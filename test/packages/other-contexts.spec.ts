import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './manifests.js';

/**
 * Loads the library as Jest 29 does: into a context that has Node's globals, but its own `Symbol`.
 */
const PROGRAM = `
  const { readFileSync } = require('node:fs');
  const { createRequire, wrap } = require('node:module');
  const { createContext, runInContext } = require('node:vm');
  const { EmbeddedZooKeeper } = require('zk-embedded');

  const context = createContext();
  const globals = runInContext('globalThis', context);
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    if (!(name in globals)) Object.defineProperty(globals, name, property);
  }
  const modules = new Map();
  function load(file) {
    if (!/[/]libs[/][^/]+[/]dist[/]/.test(file)) return require(file);
    if (!modules.has(file)) {
      const { resolve } = createRequire(file);
      const module = { exports: {} };
      modules.set(file, module);
      const run = runInContext(wrap(readFileSync(file, 'utf8')), context, { filename: file });
      run(module.exports, (id) => load(resolve(id)), module, file);
    }
    return modules.get(file).exports;
  }

  (async () => {
    const { Locks } = load(require.resolve('zk-locks'));
    const zooKeeper = await EmbeddedZooKeeper.start();
    const locks = new Locks({ servers: zooKeeper.connectString });
    await locks.start();
    const lock = await locks.acquire('order:42');
    const { holders } = await locks.inspect('order:42');
    await lock[globals.Symbol.asyncDispose]();
    await locks.close();
    await zooKeeper.stop();
    console.log(holders.length, lock.isHeld);
  })();
`;

it('locks, inspects and disposes in a separate context, such as that of a Jest 29 test', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], { cwd: root });
  expect(stdout).toBe('1 false\n');
});
