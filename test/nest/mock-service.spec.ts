import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Locked, LockService, OnlyLeader, WithPermit, ZkLockModule } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';

it('an application with a job and an election starts with a mock in place of the service', async () => {
  @Injectable()
  class Jobs {
    @Locked('job', { atMostEveryMs: 60_000 })
    async run(): Promise<string | undefined> {
      return Promise.resolve('run');
    }

    @OnlyLeader('reports')
    async report(): Promise<void> {}

    @WithPermit('mail', { permits: 2 })
    async send(): Promise<string> {
      return Promise.resolve('real');
    }
  }
  // The mock has only the methods that the calls need.
  const mock = {
    semaphore: () => ({ withPermit: async () => Promise.resolve('mock') }),
    runAtMostEvery: async () => Promise.resolve({ ran: true, result: 'mock' }),
  };
  const module = await Test.createTestingModule({
    imports: [ZkLockModule.forRoot({ servers: 'unused' })],
    providers: [Jobs],
  })
    .overrideProvider(LockService)
    .useValue(mock)
    .compile();
  await module.init();
  expect(await module.get(Jobs).run()).toBe('mock');
  expect(await module.get(Jobs).send()).toBe('mock');
  await module.close();
});

it.each([
  ['onBusy', { onBusy: 'skip', timeoutMs: 100 }],
  ['minHoldMs', { minHoldMs: 10 }],
  ['maxHoldMs', { maxHoldMs: 60_000 }],
] as const)(
  'a mock that has only the method `withLock()` is enough for %s',
  async (_name, options) => {
    @Injectable()
    class Orders {
      @Locked('order:{0}', options)
      async ship(order: string): Promise<string | undefined> {
        return Promise.resolve(`shipped ${order}`);
      }
    }
    const { signal } = new AbortController();
    const lock = { key: 'order:7', mode: 'write', signal, assertHeld: () => undefined };
    const mock = {
      withLock: (_key: string, _options: object, work: (held: object) => unknown) => work(lock),
    };
    const module = await Test.createTestingModule({
      providers: [Orders, { provide: LockService, useValue: mock }],
    }).compile();
    expect(await module.get(Orders).ship('7')).toBe('shipped 7');
    await module.close();
  },
);
