import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import type { BoardOverview } from '../../../libs/nestjs-zk-lock/src/board/board-api.js';
import { LoopMeter } from '../../support/loop-meter.js';
import { serve, startOptions } from '../serve.js';
import { machineTime } from '../soak/journal.js';
import type { Commands, Held, Looks } from './protocol.js';

/** An application with a board, which measures the cost of reading what strangers stored. */
@Module({
  imports: [
    ZkLockModule.forRoot(startOptions() as ZkLockModuleOptions),
    ZkLockBoardModule.forRoot({ guards: 'none' }),
  ],
})
class ApplicationModule {}

const app = await NestFactory.create(ApplicationModule, { logger: false });
await app.listen(0, '127.0.0.1');
const locks = app.get(LockService);
const board = `${await app.getUrl()}/locks`;

let meter = new LoopMeter();
let working: Promise<readonly Held[]> | undefined;
let isWorking = false;

const get = async <T>(path: string): Promise<T> => (await (await fetch(board + path)).json()) as T;

/** Resolves once the board has read everything, which may take some seconds on a busy machine. */
async function overviewOfAll(): Promise<BoardOverview> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const overview = await get<BoardOverview>('/overview');
    if (!overview.reading || performance.now() > deadline) return overview;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function look(keys: readonly string[], semaphores: readonly string[]): Promise<Looks> {
  const refused: Record<string, string | undefined> = {};
  const ask = async <T>(what: string, question: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await question();
    } catch (error) {
      refused[what] = (error as { code?: string }).code;
      return undefined;
    }
  };
  const overview = await overviewOfAll();
  await get('/keys?sort=holder&order=desc');
  await get('/keys?filter=label&busy=1');
  const deadlocks = await ask('deadlocks', () => locks.deadlocks());
  await ask('list', () => locks.list());
  for (const key of keys) {
    await get(`/key?key=${encodeURIComponent(key)}`);
    await ask(`inspect ${key}`, () => locks.inspect(key, { limit: 1_000 }));
    await ask(`last run ${key}`, () => locks.lastRun(key));
    const lock = await ask(`acquire ${key}`, () => locks.acquire(key, { timeoutMs: 100 }));
    await lock?.release();
  }
  for (const key of semaphores) {
    const semaphore = locks.semaphore(key, { permits: 3 });
    await ask(`inspect ${key}`, () => semaphore.inspect({ limit: 1_000 }));
    const permit = await ask(`acquire ${key}`, () => semaphore.acquire({ timeoutMs: 100 }));
    await permit?.release();
  }
  return { overview, refused, deadlocks: deadlocks?.deadlocks.length ?? 0 };
}

async function work(key: string): Promise<readonly Held[]> {
  const held: Held[] = [];
  while (isWorking) {
    const asked = machineTime();
    const lock = await locks.acquire(key, { timeoutMs: 20_000 });
    const from = machineTime();
    await new Promise((resolve) => setTimeout(resolve, 1));
    lock.assertHeld();
    held.push({ from, to: machineTime(), waitedMs: from - asked });
    await lock.release();
  }
  return held;
}

serve<Commands>(
  {
    board: () => board,
    look,
    work: (key) => {
      isWorking = true;
      working = work(key);
      working.catch(() => undefined);
    },
    stop: async () => {
      isWorking = false;
      return (await working) ?? [];
    },
    used: async () => {
      meter[Symbol.dispose]();
      const { longestMs: longestTurnMs } = meter;
      // The memory of buffers is freed only after the collection that finds them.
      for (let round = 0; round < 3; round++) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const { heapUsed, external } = process.memoryUsage();
      meter = new LoopMeter();
      return { longestTurnMs, bytes: heapUsed + external };
    },
  },
  () => app.close(),
);
