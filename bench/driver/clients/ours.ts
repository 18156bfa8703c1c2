import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Lock, LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { Locksmith, Release } from '../locksmith.js';
import { SESSION_TIMEOUT_MS } from './session-timeout.js';

const releaseOf =
  (lock: Pick<Lock, 'release'>): Release =>
  () =>
    lock.release();

/** This library as its users run it: the service of a Nest application. */
export async function openOurs(servers: string, variant: object): Promise<Locksmith> {
  const options: ZkLockModuleOptions = {
    ...{ servers, sessionTimeoutMs: SESSION_TIMEOUT_MS, acquireTimeoutMs: Infinity },
    maxWaiting: { perKey: 20_000, total: 20_000 },
    ...variant,
  };

  @Module({ imports: [ZkLockModule.forRoot(options)] })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  const locks = app.get(LockService);
  return {
    // Not `async`: each of 10,000 waiters would have a frame, counted as the library's memory.
    take: (key, mode) => locks.acquire(key, { mode }).then(releaseOf),
    async tryTake(key) {
      const lock = await locks.tryAcquire(key);
      return lock ? releaseOf(lock) : undefined;
    },
    takePermit: (key, permits) =>
      locks.semaphore(key, { permits }).acquire({ timeoutMs: Infinity }).then(releaseOf),
    close: () => app.close(),
  };
}
