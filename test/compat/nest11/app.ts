/** An app on Nest 11 that uses each entry point once, and prints what came of it as JSON. */
import 'reflect-metadata';
import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { currentLock, Locked, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockHealthIndicator, ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { createLockTestingModule } from 'nestjs-zk-lock/testing';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';

const [servers = '', root = ''] = process.argv.slice(2);

@Injectable()
class Orders {
  @Locked('order:{0}')
  async ship(_id: string): Promise<string> {
    const { key, isHeld } = currentLock();
    return Promise.resolve(`${key} ${String(isHeld)}`);
  }
}

@Controller()
class AppController {
  constructor(
    private readonly orders: Orders,
    private readonly health: HealthCheckService,
    private readonly zooKeeper: ZkLockHealthIndicator,
  ) {}

  @Get('ship/:id')
  async ship(@Param('id') id: string): Promise<string> {
    return this.orders.ship(id);
  }

  @Get('busy')
  @Locked('busy', { timeoutMs: 0 })
  async busy(): Promise<string> {
    return Promise.resolve('not busy');
  }

  @Get('health')
  @HealthCheck()
  async check(): Promise<unknown> {
    return this.health.check([() => this.zooKeeper.isHealthy('zookeeper')]);
  }
}

@Module({
  imports: [ZkLockModule.forRoot({ servers, root }), ZkLockHealthModule, TerminusModule],
  controllers: [AppController],
  providers: [Orders],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address() as AddressInfo;
const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${String(port)}${path}`);

const testingModule = await createLockTestingModule({ providers: [Orders] }).compile();
const tested = await testingModule.get(Orders).ship('8');
await testingModule.close();

const lock = await app.get(LockService).acquire('busy');
const results = {
  nest: (
    JSON.parse(readFileSync(new URL(import.meta.resolve('@nestjs/core/package.json')), 'utf8')) as {
      version: string;
    }
  ).version,
  ship: await (await get('/ship/7')).text(),
  busy: (await get('/busy')).status,
  health: (await get('/health')).status,
  tested,
};
await lock.release();
await app.close();
console.log(JSON.stringify(results));
