import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { type CallHandler, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getLockServiceToken, type Lock, Locked, LockedInterceptor } from 'nestjs-zk-lock';
import { defer, lastValueFrom } from 'rxjs';
import type { Overhead } from './protocol.js';

/** The number of calls between two readings of the clock. */
const CALLS = 500;

const held = { key: 'order:1', mode: 'write', signal: new AbortController().signal } as Lock;

/** Grants at once, so that only the code around it is measured. */
const lockService = {
  async withLock<T>(
    _key: string,
    _options: object,
    section: (lock: Lock) => Promise<T>,
  ): Promise<T> {
    return section(held);
  },
};

@Injectable()
class OrderService {
  async bare(id: number): Promise<number> {
    return Promise.resolve(id);
  }

  @Locked('order:{0}')
  async locked(id: number): Promise<number> {
    return Promise.resolve(id);
  }
}

@Module({
  providers: [
    OrderService,
    LockedInterceptor,
    { provide: getLockServiceToken(), useValue: lockService },
  ],
})
class OverheadModule {}

/** Measures the cost of each kind of call in turn, and returns the medians. */
export async function measureOverhead(seconds: number): Promise<Overhead> {
  const app = await NestFactory.createApplicationContext(OverheadModule, { logger: ['error'] });
  const calls = callsOf(app.get(OrderService), app.get(LockedInterceptor));
  const kinds = Object.keys(calls) as (keyof Overhead)[];
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]]));
  const endsAt = performance.now() + seconds * 1_000;
  do {
    for (const kind of kinds) times[kind]?.push(await nanoseconds(calls[kind]));
  } while (performance.now() < endsAt);
  await app.close();
  return Object.fromEntries(
    kinds.map((kind) => [kind, median(times[kind] ?? [])]),
  ) as unknown as Overhead;
}

function callsOf(
  service: OrderService,
  interceptor: LockedInterceptor,
): Record<keyof Overhead, () => Promise<unknown>> {
  const response = new EventEmitter();
  const handler: unknown = Reflect.get(OrderService.prototype, 'locked');
  const context = {
    getType: () => 'http',
    getHandler: () => handler,
    switchToHttp: () => ({ getResponse: () => response }),
  } as unknown as ExecutionContext;
  const next: CallHandler = { handle: () => defer(() => service.locked(1)) };
  return {
    bare: () => service.bare(1),
    withLock: () => lockService.withLock('order:1', {}, () => service.bare(1)),
    locked: () => service.locked(1),
    handler: () => lastValueFrom(defer(() => service.bare(1))),
    lockedHandler: () => lastValueFrom(interceptor.intercept(context, next)),
  };
}

async function nanoseconds(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < CALLS; i++) await call();
  return ((performance.now() - startedAt) / CALLS) * 1e6;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
