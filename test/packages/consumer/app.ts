/**
 * An application that uses each entry point of the installed packages, and prints the results as
 * JSON. `npm run check:installed` compiles it to an ES module and to CommonJS.
 */
import 'reflect-metadata';
import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { currentLock, Locked, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockHealthIndicator, ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { createLockTestingModule, holdElsewhere } from 'nestjs-zk-lock/testing';
import { Registry } from 'prom-client';
import { Connection } from 'zk-client';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { OpCode } from 'zk-protocol';

@Injectable()
export class Orders {
  @Locked('order:{0}', { timeoutMs: 0, maxHoldMs: undefined })
  async ship(id: string): Promise<string> {
    const { isHeld, key } = currentLock();
    return Promise.resolve(`${id}: ${key} ${String(isHeld)}`);
  }
}

@Controller()
export class AppController {
  constructor(
    private readonly orders: Orders,
    private readonly health: HealthCheckService,
    private readonly zooKeeper: ZkLockHealthIndicator,
  ) {}

  @Get('ship/:id')
  async ship(@Param('id') id: string): Promise<string> {
    return this.orders.ship(id);
  }

  @Get('health')
  @HealthCheck()
  async check(): Promise<unknown> {
    return this.health.check([() => this.zooKeeper.isHealthy('zookeeper')]);
  }
}

function appModule(servers: string, registry: Registry): new () => object {
  @Module({
    imports: [
      ZkLockModule.forRoot({ servers, credentials: undefined, name: undefined }),
      ZkLockHealthModule,
      ZkLockPrometheusModule.forRoot({ registry }),
      ZkLockOpenTelemetryModule.forRoot({ keys: undefined }),
      TerminusModule,
    ],
    controllers: [AppController],
    providers: [Orders],
  })
  class AppModule {}
  return AppModule;
}

async function serve(zooKeeper: EmbeddedZooKeeper): Promise<Record<string, unknown>> {
  const registry = new Registry();
  const app = await NestFactory.create(appModule(zooKeeper.connectString, registry), {
    logger: ['error'],
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const get = (path: string) => fetch(`${url}/${path}`);

  const ship = await (await get('ship/7')).text();
  const lock = await app.get(LockService).acquire('order:7', { signal: undefined });
  const busy = (await get('ship/7')).status;
  await lock.release();
  const health = (await get('health')).status;
  const metrics = (await registry.metrics()).includes('order:{0}');
  await app.close();
  return { ship, busy, health, metrics };
}

/** The code of the error that the method gets while another replica holds its lock. */
async function test(): Promise<unknown> {
  const module = await createLockTestingModule({ providers: [Orders] }).compile();
  await holdElsewhere(module, 'order:8');
  const failure = module.get(Orders).ship('8');
  const code = await failure.catch((error: unknown) => (error as { code?: unknown }).code);
  await module.close();
  return code;
}

async function children(zooKeeper: EmbeddedZooKeeper): Promise<readonly string[]> {
  const connection = await Connection.open({
    host: '127.0.0.1',
    port: Number(zooKeeper.connectString.split(':')[1]),
    sessionTimeoutMs: 5_000,
    listener: { onNode: () => undefined, onEnd: () => undefined },
  });
  const names = await connection.list('/zookeeper');
  await connection.close();
  return names;
}

function stackOfMistake(): string {
  try {
    return currentLock().key;
  } catch (error) {
    return (error as Error).stack ?? '';
  }
}

async function main(): Promise<void> {
  const zooKeeper = await EmbeddedZooKeeper.start();
  const results = {
    ...(await serve(zooKeeper)),
    tested: await test(),
    children: await children(zooKeeper),
    opCode: OpCode.create,
    stack: stackOfMistake(),
  };
  await zooKeeper.stop();
  process.stdout.write(JSON.stringify(results));
}

void main();
