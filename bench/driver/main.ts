/**
 * A driver of a library for Node: `node main.js <library> <servers> <options as JSON>`. Its
 * commands are {@link DriverCommands}.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serve, type Serving } from '../../test/workers/serve.js';
import type { Locksmith, OpenLocksmith } from './locksmith.js';
import type { DriverCommands } from './protocol.js';
import { measureKeys, measurePermits, serveEach } from './at-once.js';
import { runTasks } from './run-tasks.js';
import { WaitingLine } from './waiting-line.js';

/** Each library is loaded only when it is used, so that start-up time and memory are its own. */
const LIBRARIES: Record<string, () => Promise<OpenLocksmith>> = {
  ours: async () => (await import('./clients/ours.js')).openOurs,
  redlock: async () => (await import('./clients/redlock.js')).openRedlock,
  'ours-guarded': async () => (await import('./clients/ours-guarded.js')).openOursGuarded,
  'raw-socket': async () => (await import('./clients/raw-socket.js')).openRawSocket,
};

async function heapBytes(): Promise<number> {
  globalThis.gc?.();
  // The first collection queues finalizers, which release more memory for the second.
  await nextTurn();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function commandsOf(locksmith: Locksmith): Serving<DriverCommands> {
  const line = new WaitingLine(locksmith);
  return {
    run: (work, keys, tasks, seconds, name, pauseMs, holdMs = 0) =>
      runTasks(locksmith, { work, keys, tasks, seconds, name, pauseMs, holdMs }),
    fill: async (waiters, name) => {
      await line.fill(waiters, name);
    },
    hand: (handOvers) => line.hand(handOvers),
    letGo: () => line.letGo(),
    serve: (waiters, key, seconds) => serveEach(locksmith, { waiters, key, seconds }),
    keyMemory: (keys, name) => measureKeys(locksmith, { keys, name }, heapBytes),
    permits: (permits, name) => measurePermits(locksmith, { permits, name }),
    stall: () => line.stall(),
    memory: heapBytes,
    overhead: async (seconds) => {
      const { measureOverhead } = await import('./overhead.js');
      return measureOverhead(seconds);
    },
  };
}

const [library = '', servers = '', options = '{}'] = process.argv.slice(2);
const open = await LIBRARIES[library]?.();
if (!open) throw new Error(`there is no library "${library}"`);
const locksmith = await open(servers, JSON.parse(options) as object);
serve<DriverCommands>(commandsOf(locksmith), () =>
  // There may still be waiters, and some clients keep a process alive.
  locksmith.close().finally(() => process.exit()),
);
