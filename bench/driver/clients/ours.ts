import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { Locksmith } from '../locksmith.js';
import { SESSION_TIMEOUT_MS } from './session-timeout.js';

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
    async take(key, mode) {
      const lock = await locks.acquire(key, { mode });
      return () => lock.release();
    },
    async tryTake(key) {
      const lock = await locks.tryAcquire(key);
      return lock ? () => lock.release() : undefined;
    },
    close: () => app.close(),
  };
}
