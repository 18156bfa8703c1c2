import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Lock, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { Locks } from 'zk-locks';
import { serve, startOptions } from '../../workers/serve.js';
import { Cycles, JobService, STANDING, type Workshop } from './cycles.js';
import { measure } from './gauge.js';
import { Occupants } from './occupants.js';
import type { Commands, WorkerSettings } from './protocol.js';

const { tasks, seed, ...options } = startOptions() as WorkerSettings;

@Module({ imports: [ZkLockModule.forRoot(options)], providers: [JobService] })
class EnduranceModule {}

/** What the session of `Locks` is, beyond what it shows. */
interface SessionWithLease {
  whenConnected(stop: AbortSignal): Promise<{ credentials: { id: string; password: string } }>;
}

const app = await NestFactory.createApplicationContext(EnduranceModule, { logger: false });
const locks = app.get(LockService);
const { signal } = new AbortController();
setMaxListeners(Infinity, signal);
let standing: Lock | undefined;
let cycles: Cycles | undefined;
let occupants: Occupants | undefined;

// What is opened when it is first used is open from the first sample on.
process.stderr.write('');

/** With a lock that is held until the process ends. */
async function openCycles(): Promise<Cycles> {
  const withinStanding = await new Promise<Workshop['withinStanding']>((resolve, reject) => {
    const section = locks.withLock(STANDING, (lock) => {
      standing = lock;
      resolve(AsyncLocalStorage.snapshot());
      return new Promise<never>(() => undefined);
    });
    section.catch(reject);
  });
  const opened = new Cycles(
    { locks, jobs: app.get(JobService), signal, withinStanding },
    seed,
    tasks,
  );
  await opened.runEach();
  return opened;
}

serve<Commands>(
  {
    cycle: async (count) => {
      cycles ??= await openCycles();
      await cycles.run(count);
    },
    measure: async () => {
      await occupants?.settle();
      return measure(() => locks.counts, [signal, ...(standing ? [standing.signal] : [])]);
    },
    occupy: async () => {
      occupants = new Occupants(locks, signal);
      await occupants.occupy();
      return occupants.ephemerals;
    },
    credentials: async () => {
      const session = Reflect.get(Locks.prototype, 'session', locks) as unknown as SessionWithLease;
      return (await session.whenConnected(signal)).credentials;
    },
    succeed: async () => occupants?.succeed(),
    vacate: async () => occupants?.vacate(),
  },
  () => app.close(),
);
