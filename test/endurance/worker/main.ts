import 'reflect-metadata';
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { Locks } from 'zk-locks';
import { serve, startOptions } from '../../workers/serve.js';
import { Cycles } from './cycles.js';
import { measure } from './gauge.js';
import { JobService } from './job.service.js';
import { Occupants } from './occupants.js';
import type { Commands, WorkerSettings } from './protocol.js';
import { Standing } from './standing.js';

const { kinds, tasks, seed, ...options } = startOptions() as WorkerSettings;

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
let standing: Standing | undefined;
let cycles: Cycles | undefined;
let occupants: Occupants | undefined;

// What is opened when it is first used is open from the first sample on.
process.stderr.write('');

async function openStanding(): Promise<Standing> {
  const opened = await Standing.open(locks);
  // The nodes are read in the turn behind their grants. What is asked later is answered when their
  // watches are set.
  await nextTurn();
  await locks.list();
  return opened;
}

async function openCycles(held: Standing): Promise<Cycles> {
  const workshop = { locks, jobs: app.get(JobService), standing: held, signal };
  const opened = new Cycles(workshop, kinds, seed, tasks);
  await opened.runEach();
  return opened;
}

serve<Commands>(
  {
    cycle: async (count) => {
      standing ??= await openStanding();
      cycles ??= await openCycles(standing);
      await cycles.run(count);
    },
    measure: async () => {
      await occupants?.settle();
      return measure(() => locks.counts, [signal, ...(standing ? [standing.lock.signal] : [])]);
    },
    occupy: async () => {
      occupants = new Occupants(locks, signal);
      await occupants.occupy();
      return occupants.footprint;
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
