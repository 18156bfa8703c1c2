import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Lock, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { Locks } from 'zk-locks';
import { OpCode } from 'zk-protocol';
import { fourLetterWord } from '../../support/four-letter-word.js';
import { WireClient } from '../../support/wire-client.js';
import { Cycles, JobService, STANDING, type Workshop } from './cycles.js';
import { type Gauge, measure } from './gauge.js';
import { Occupants } from './occupants.js';
import type { Run, Sample } from './run.js';

const { of, steps, pauses, seed, port, tickTimeMs } = JSON.parse(process.argv[2] ?? '') as Run;

/** How many tasks take locks at the same time. */
const TASKS = 64;
/** The cycles in which V8 creates most of its objects about code: about twenty per thousand cycles. */
const WARM_UP = 2_000;
const SESSION_MS = {
  /** Long, so that no lock is lost on a busy machine. */
  cycles: 30_000,
  /**
   * Longer than the process is blocked while its heap is measured, which takes some seconds on a busy
   * machine. Not much longer, because between two losses, a process waits for up to a sixth of this.
   */
  sessions: 10_000,
};
/** The time limit for deletions, which continue in the background. */
const QUIET_WITHIN_MS = 30_000;

const servers = `127.0.0.1:${port}`;
const zkLock = ZkLockModule.forRoot({ servers, sessionTimeoutMs: SESSION_MS[of], tickTimeMs });

@Module({ imports: [zkLock], providers: [JobService] })
class EnduranceModule {}

const app = await NestFactory.createApplicationContext(EnduranceModule, { logger: false });
const locks = app.get(LockService);
const { signal } = new AbortController();
setMaxListeners(Infinity, signal);

interface Work {
  /** How many nodes the session has between the steps. */
  readonly ephemerals: number;
  run(steps: number): Promise<void>;
  take(): Promise<Gauge>;
}

/** Acquires and releases locks, while another lock is held until the process ends. */
async function openCycles(): Promise<Work> {
  let standing!: Lock;
  const withinStanding = await new Promise<Workshop['withinStanding']>((resolve, reject) => {
    const section = locks.withLock(STANDING, (lock) => {
      standing = lock;
      resolve(AsyncLocalStorage.snapshot());
      return new Promise<never>(() => undefined);
    });
    section.catch(reject);
  });
  const workshop = { locks, jobs: app.get(JobService), signal, withinStanding };
  const cycles = new Cycles(workshop, seed, TASKS);
  // Opens everything that stays open, and lets V8 warm up, before anything is counted.
  await cycles.runEach();
  await cycles.run(WARM_UP);
  return {
    ephemerals: 1,
    run: (count) => cycles.run(count),
    take: () => measure(() => locks.counts, [signal, standing.signal]),
  };
}

/** Ends the session repeatedly, while locks are held and waited for. */
async function openSessions(): Promise<Work> {
  const occupants = new Occupants(locks, signal);
  await occupants.occupy();
  return {
    ephemerals: occupants.ephemerals,
    run: async (count) => {
      for (let ended = 0; ended < count; ended++) {
        await endSession();
        await occupants.succeed();
      }
    },
    take: async () => {
      await occupants.settle();
      return measure(() => locks.counts, [signal]);
    },
  };
}

/** The part of the session of `Locks` that is not public. */
interface SessionWithLease {
  whenConnected(stop: AbortSignal): Promise<{ credentials: { id: string; password: string } }>;
}

/**
 * Ends the session as an administrator would: attaches to it and closes it, until the server no longer knows
 * it. The process may be faster, and attach again before the session is closed.
 */
async function endSession(): Promise<void> {
  const session = Reflect.get(Locks.prototype, 'session', locks) as unknown as SessionWithLease;
  const { id, password } = (await session.whenConnected(signal)).credentials;
  const request = {
    sessionId: BigInt.asIntN(64, BigInt(`0x${id}`)),
    passwd: Buffer.from(password, 'hex'),
  };
  for (;;) {
    const client = await WireClient.connect(port, request);
    const isOver = client.greeting?.timeOut === 0;
    if (!isOver) await client.ask(OpCode.closeSession, undefined).catch(() => undefined);
    client.drop();
    await client.ended;
    if (isOver) return;
  }
}

async function untilQuiet(ephemerals: number): Promise<void> {
  const deadline = performance.now() + QUIET_WITHIN_MS;
  const isQuiet = async (): Promise<boolean> =>
    (await fourLetterWord(port, 'mntr')).includes(`zk_ephemerals_count\t${ephemerals}\n`);
  while (!(await isQuiet()) && performance.now() < deadline) await sleep(20);
}

// Standard output is opened on first use, so it is used before the first sample.
process.stdout.write('');
process.stderr.write('');

const work = await (of === 'cycles' ? openCycles() : openSessions());
for (let pause = 0, done = 0; pause <= pauses; pause++) {
  const next = Math.round((steps * pause) / pauses);
  if (next > done) await work.run(next - done);
  done = next;
  // The first collection is not counted, because requests may still be under way.
  await work.take();
  await untilQuiet(work.ephemerals);
  const sample: Sample = { done, ...(await work.take()) };
  process.stdout.write(`${JSON.stringify(sample)}\n`);
}
process.exit();
