import { Controller, Inject, Injectable } from '@nestjs/common';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { LockService, Locked, currentLock } from 'nestjs-zk-lock';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Reports {
  @Locked('report', { timeoutMs: 0 })
  async run(): Promise<string> {
    return Promise.resolve(currentLock().key);
  }
}

@Controller()
class Messages {
  constructor(@Inject(Reports) private readonly reports: Reports) {}

  @MessagePattern('report')
  report(): Promise<string> {
    return this.reports.run();
  }
}

describe('a @Locked() method of an application without HTTP', () => {
  it('runs in an application context', async () => {
    const context = await Test.createTestingModule({
      imports: [apps.zkLock()],
      providers: [Reports],
    }).compile();
    await context.init();
    await expect(context.get(Reports).run()).resolves.toBe('report');
    const locks = context.get(LockService);
    await context.close();
    expect(locks.session.snapshot.state.name).toBe('closed');
  });

  it('runs in a microservice, whose caller is told the code of a lock error', async () => {
    const options = { host: '127.0.0.1', port: await freePort() };
    const server: MicroserviceOptions = { transport: Transport.TCP, options };
    const module = await Test.createTestingModule({
      imports: [apps.zkLock()],
      controllers: [Messages],
      providers: [Reports],
    }).compile();
    const app = module.createNestMicroservice(server);
    await app.listen();
    const client: ClientProxy = ClientProxyFactory.create({ transport: Transport.TCP, options });
    try {
      expect(await firstValueFrom(client.send<string>('report', {}))).toBe('report');
      await using _lock = await (await apps.replica()).acquire('report');
      const answer = firstValueFrom(client.send<string>('report', {}));
      await expect(answer).rejects.toMatchObject({ status: 'error', code: 'LOCK_TIMEOUT' });
    } finally {
      await client.close();
      await app.close();
    }
  });
});
