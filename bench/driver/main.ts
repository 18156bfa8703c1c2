/**
 * A driver of a library for Node: `node main.js <library> <servers> <options as JSON>`. It is told
 * what to do by {@link DriverCommands}.
 */
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Locksmith, OpenLocksmith } from './locksmith.js';
import type { DriverCommands, Keys, Work } from './protocol.js';
import { runTasks } from './run-tasks.js';
import { WaitingLine } from './waiting-line.js';

/** Each is loaded by itself: what others cost at start-up and in memory is theirs. */
const LIBRARIES: Record<string, () => Promise<OpenLocksmith>> = {
  ours: async () => (await import('./clients/ours.js')).openOurs,
  redlock: async () => (await import('./clients/redlock.js')).openRedlock,
  etcd: async () => (await import('./clients/etcd.js')).openEtcd,
  'raw-native': async () => (await import('./clients/raw-native.js')).openRawNative,
  'raw-socket': async () => (await import('./clients/raw-socket.js')).openRawSocket,
};

type Commands = {
  readonly [C in keyof DriverCommands]: (
    ...words: string[]
  ) => Promise<ReturnType<DriverCommands[C]>> | ReturnType<DriverCommands[C]>;
};

function commandsOf(locksmith: Locksmith): Commands {
  const line = new WaitingLine(locksmith);
  return {
    run: (work, keys, tasks, seconds, name = '') =>
      runTasks(locksmith, {
        ...{ work: work as Work, keys: keys as Keys },
        ...{ tasks: Number(tasks), seconds: Number(seconds), name },
      }),
    fill: async (waiters, name = '') => {
      await line.fill(Number(waiters), name);
      return null;
    },
    hand: (handOvers) => line.hand(Number(handOvers)),
    memory: async () => {
      globalThis.gc?.();
      // Some of what is dropped only now is let go by what the first collection has queued.
      await nextTurn();
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    overhead: async (seconds) => {
      const { measureOverhead } = await import('./overhead.js');
      return measureOverhead(Number(seconds));
    },
  };
}

const tell = (message: object): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

async function answer(commands: Commands, line: string): Promise<void> {
  const [id, what, ...words] = line.split(' ');
  try {
    const value = await commands[what as keyof Commands](...words);
    tell({ id: Number(id), value });
  } catch (error) {
    tell({ id: Number(id), error: describe(error) });
  }
}

/** With its causes, which hold what the server has said. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = String(error), cause } = error;
  return cause === undefined ? stack : `${stack}\ncaused by: ${describe(cause)}`;
}

const [library = '', servers = '', options = '{}'] = process.argv.slice(2);
const open = await LIBRARIES[library]?.();
if (!open) throw new Error(`there is no library "${library}"`);
const locksmith = await open(servers, JSON.parse(options) as object);
const commands = commandsOf(locksmith);
tell({ id: 0, value: null });
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void answer(commands, line));
lines.on('close', () => {
  // Waiters may be left, and some clients keep a process alive.
  void locksmith.close().finally(() => process.exit());
});
