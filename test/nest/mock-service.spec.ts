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
