import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Controller, Inject, Injectable, Module, Param, Post, Scope } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createObserveModule } from '@nestjs/observe';
import {
  CurrentLock,
  InjectElection,
  InjectSemaphore,
  type LeaderElection,
  type Lock,
  Locked,
  OnlyLeader,
  type Semaphore,
  WithPermit,
  ZkLockModule,
  currentLock,
  currentPermit,
} from 'nestjs-zk-lock';
import { Observable, lastValueFrom, of } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Orders {
  @Locked('order:{0}')
  async ship(_order: string): Promise<bigint> {
    return Promise.resolve(currentLock().fencingToken);
  }

  @Locked('stream:{0}')
  rows(_order: string): Observable<string> {
    return of(currentLock().key);
  }
}

/** Its private members make the instrumentation call methods on the object, not its proxy. */
@Injectable()
class Farm {
  readonly #cards: Semaphore;

  constructor(@InjectSemaphore('cards') cards: Semaphore) {
    this.#cards = cards;
  }

  @WithPermit('cards')
  async render(): Promise<string> {
    return `${currentPermit().key} of ${await this.#cards.permits()}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class Basket {
  @Locked('basket', { onBusy: () => 'busy' })
  async pay(): Promise<string> {
    return Promise.resolve(currentLock().key);
  }
}

@Injectable()
class Reports {
  constructor(@InjectElection('reports') readonly election: LeaderElection) {}

  @OnlyLeader('reports')
  async run(): Promise<string> {
    return Promise.resolve(`${currentLock().key} ${this.election.isLeader}`);
  }
}

@Controller()
class Shop {
  constructor(
    @Inject(Orders) private readonly orders: Orders,
    @Inject(Farm) private readonly farm: Farm,
    @Inject(Basket) private readonly basket: Basket,
    @Inject(Reports) private readonly reports: Reports,
  ) {}

  @Post('ship/:order')
  @Locked('order:{0}', { timeoutMs: 20_000 })
  async ship(@Param('order') order: string, @CurrentLock() lock?: Lock): Promise<object> {
    return { joins: (await this.orders.ship(order)) === lock?.fencingToken };
  }

  @Post('work')
  async work(): Promise<object> {
    await this.reports.election.whenLeader();
    return {
      streams: await lastValueFrom(this.orders.rows('7')),
      pays: await this.basket.pay(),
      renders: await this.farm.render(),
      reports: await this.reports.run(),
    };
  }
}

/** Receives the reports of `@nestjs/observe`, in place of the usual service. */
async function openCollector() {
  let reported = '';
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      reported += gunzipSync(body).toString();
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Waits until calls to all these classes have been reported. */
  const sees = (...classes: readonly string[]): Promise<unknown> =>
    waitFor(() => classes.every((name) => reported.includes(`"${name}"`)), {
      what: `spans of ${classes.join(', ')}`,
    });
  return { endpoint, sees };
}

it('decorated methods hold what they name under the instrumentation of @nestjs/observe, which reports their calls', async () => {
  const { endpoint, sees } = await openCollector();
  const { ObserveModule, ObserveInstrument } = createObserveModule();
  const service = { appKey: 'key', appSecret: 'secret', serviceId: 'shop' };
  @Module({
    imports: [
      ObserveModule.forRoot({ ...service, endpoint, flushInterval: 1_000 }),
      apps.zkLock(),
      ZkLockModule.forFeature({
        semaphores: [{ key: 'cards', permits: 2 }],
        elections: ['reports'],
      }),
    ],
    controllers: [Shop],
    providers: [Orders, Farm, Basket, Reports],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, {
    instrument: ObserveInstrument,
    logger: false,
    abortOnError: false,
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const post = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/${path}`, { method: 'POST' })).json();
  const answers = [await post('ship/7'), await post('work')];
  await sees('Orders', 'Basket', 'Farm');
  await app.close();
  expect(answers).toEqual([
    { joins: true },
    { streams: 'stream:7', pays: 'basket', renders: 'cards of 2', reports: 'reports true' },
  ]);
});
