import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { serve, startOptions } from '../serve.js';
import { FileJournal, machineTime } from './journal.js';
import type { Closed, Commands, SoakWorkerOptions } from './protocol.js';
import { Random } from './random.js';
import type { Section } from './section.js';
import { StallWatch } from './stall-watch.js';
import { Tasks } from './tasks.js';
import { TURNS } from './turns.js';

const options = startOptions() as SoakWorkerOptions;
const { module, seed, keys, guarded } = options;
const { marginMs } = module;

@Module({ imports: [ZkLockModule.forRoot(module)] })
class SoakWorkerModule {}

const app = await NestFactory.createApplicationContext(SoakWorkerModule, { logger: false });
const locks = app.get(LockService);
const journal = new FileJournal(options.journal);
/** Tokens are not compared here: the checks see all of them, and ZooKeeper guards some writes. */
const resource = { write: async () => true };
const stalls = new StallWatch(journal);
const inside = new Set<Section>();
const context = {
  ...{ locks, journal, resource, stalls, keys, inside, marginMs, guarded },
  isFair: true,
  random: new Random(seed),
  clingUntil: 0,
};
const sessions = locks.session.state$.subscribe((state) =>
  journal.note({ type: 'session', state, at: machineTime() }),
);
const tasks = new Tasks(TURNS, context, options.tasks);

/** How long the kernels may take to close sockets. */
const CLOSING_MS = 1_000;
/** How long to wait for an exclusive holder. */
const CLING_PATIENCE_MS = 1_000;

async function cling(ms: number): Promise<void> {
  const start = machineTime();
  context.clingUntil = start + ms;
  while (![...inside].some((section) => section.isExclusive)) {
    if (machineTime() - start > CLING_PATIENCE_MS) return;
    await sleep(1);
  }
}

async function close(): Promise<Closed> {
  await tasks.close();
  await app.close();
  sessions.unsubscribe();
  stalls.stop();
  stopServing();
  journal.close();
  // A socket is closed once the other end has answered.
  const deadline = machineTime() + CLOSING_MS;
  while (openResources().length > 0 && machineTime() < deadline) await sleep(1);
  return { resources: openResources() };
}

const STANDARD = ['PipeWrap', 'TTYWrap', 'WriteWrap', 'ShutdownWrap', 'Immediate'];

function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => !STANDARD.includes(kind));
}

const stopServing = serve<Commands>(
  {
    run() {
      tasks.run();
    },
    async pause() {
      context.clingUntil = 0;
      await tasks.pause();
      return locks.counts;
    },
    cling,
    where() {
      const { state, connectedTo } = locks.session.snapshot;
      return state.name === 'connected' ? (connectedTo ?? null) : null;
    },
    close,
  },
  // The process that started this one has exited.
  () => process.exit(),
);
