import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkClient, ZkLockModule } from 'nestjs-zk-lock';
import { expect, it, onTestFinished } from 'vitest';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';

@Controller()
class Looking {
  constructor(
    private readonly locks: LockService,
    private readonly zk: ZkClient,
  ) {}

  @Get('inspect')
  inspect(): unknown {
    return this.locks.inspect('k');
  }

  @Get('stat')
  stat(): unknown {
    return this.zk.exists('/zookeeper');
  }
}

it('a controller can return who holds a lock, and a stat', async () => {
  const { connectString: servers } = sharedServer();
  @Module({
    imports: [ZkLockModule.forRoot({ servers, root: ownRoot() })],
    controllers: [Looking],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: false });
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}/${path}`);
    expect(answer.status).toBe(200);
    return answer.json();
  };
  await using lock = await app.get(LockService).acquire('k');
  const holder = { fencingToken: String(lock.fencingToken), mode: 'write' };
  expect(await get('inspect')).toMatchObject({ key: 'k', holders: [holder], waiters: [] });
  expect(await get('stat')).toMatchObject({ czxid: '0', pzxid: expect.any(String) as string });
});
