import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AcquireOptions, Lock, LockLostError, LockService, Permit } from 'nestjs-zk-lock';
import { type Serving, tell as say } from '../serve.js';
import { machineTime } from '../soak/journal.js';
import type { Commands, Granted, News, PermitsGranted, Phase } from './protocol.js';

const tell = (news: News): void => say(news);

/**
 * Blocks the event loop in the given phase. Commands arrive in the poll phase, which reads sockets.
 */
async function hang(from: Phase, file: string): Promise<void> {
  if (from === 'timers') await sleep(1);
  if (from === 'check') await nextTurn();
  tell({ type: 'hangs' });
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(clock, 0, 0, 5);
}

export function commandsOf(locks: LockService): Serving<Commands> {
  const held: (Lock | Permit)[] = [];

  function keep(granted: Lock | Permit): PermitsGranted {
    const at = machineTime();
    const lock = held.push(granted) - 1;
    granted.signal.addEventListener('abort', () => {
      const { reason } = granted.signal.reason as LockLostError;
      tell({ type: 'lost', lock, reason, at: machineTime() });
    });
    return { lock, at };
  }

  function find(lock: number): Lock | Permit {
    const found = held[lock];
    if (!found) throw new Error(`there is no lock ${lock}`);
    return found;
  }

  async function acquire(key: string, options: AcquireOptions = {}): Promise<Granted> {
    const lock = await locks.acquire(key, options);
    return { ...keep(lock), fencingToken: String(lock.fencingToken) };
  }

  return {
    acquire: (key, mode, timeoutMs) =>
      acquire(key, timeoutMs === undefined ? { mode } : { mode, timeoutMs }),
    async release(lock) {
      await find(lock).release();
    },
    async hangAndAcquire(from, file, key) {
      await hang(from, file);
      return acquire(key);
    },
    read(path, times) {
      for (let read = 0; read < times; read++) void locks.client.get(path);
    },
    assertHeld(lock) {
      find(lock).assertHeld();
    },
    inspect(lock) {
      const { isHeld, signal } = find(lock);
      return { isHeld, aborted: signal.aborted };
    },
    async write(lock, path, text) {
      const holder = find(lock) as Lock;
      for (;;) await holder.transact((tx) => tx.set(path, text));
    },
    async count(key, file, tasks) {
      const increment = async (lock: Lock): Promise<void> => {
        const before = Number(readFileSync(file, 'utf8'));
        appendFileSync(`${file}.tokens`, `${String(lock.fencingToken)}\n`);
        await sleep(2);
        writeFileSync(file, String(before + 1));
      };
      await Promise.all(Array.from({ length: tasks }, () => locks.withLock(key, increment)));
    },
    acquirePermits: async (key, of, permits) =>
      keep(await locks.semaphore(key, { permits: of }).acquire({ take: permits })),
    async occupy(key, of, file, tasks) {
      const semaphore = locks.semaphore(key, { permits: of });
      const occupy = async (permit: Permit): Promise<void> => {
        appendFileSync(file, `ours +${permit.permits}\n`);
        await sleep(10);
        appendFileSync(file, `ours -${permit.permits}\n`);
      };
      await Promise.all(tasks.map((permits) => semaphore.withPermit({ take: permits }, occupy)));
    },
    session: () => locks.session.snapshot,
  };
}
