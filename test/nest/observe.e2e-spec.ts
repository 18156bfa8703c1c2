import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import {
  Controller,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Scope,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createObserveModule } from '@nestjs/observe';
import {
  CurrentLock,
  InjectElection,
  InjectSemaphore,
  type LeaderElection,
  type Lock,
  Locked,
  NotLeaderError,
  OnlyLeader,
  type Semaphore,
  WithPermit,
  ZkLockModule,
  currentLock,
  currentPermit,
  getSemaphoreToken,
} from 'nestjs-zk-lock';
import { Observable, lastValueFrom, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** What calls pass through while they hold something: it counts how many do at once. */
class Room {
  readonly gate = new Gate();
  inside = 0;
  most = 0;

  async visit(): Promise<void> {
    this.most = Math.max(this.most, ++this.inside);
    await this.gate.pass();
    this.inside--;
  }
}

@Injectable()
class Orders {
  constructor(@Inject(Room) private readonly room: Room) {}

  @Locked('order:{0}')
  async ship(order: string): Promise<string> {
    await this.room.visit();
    return `${order} ${currentLock().fencingToken}`;
  }

  @Locked('stream:{0}')
  rows(order: string): Observable<string> {
    return of(`${order} ${currentLock().key}`);
  }
}

/** Its private members make the instrumentation call methods on the object itself, not on its proxy. */
@Injectable()
class Farm {
  readonly #room: Room;

  constructor(
    @Inject(Room) room: Room,
    @InjectSemaphore('cards') private readonly cards: Semaphore,
  ) {
    this.#room = room;
  }

  @WithPermit('cards')
  async render(): Promise<string> {
    await this.#room.visit();
    return `${currentPermit().key} of ${await this.cards.permits()}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class Basket {
  @Locked('basket', { onBusy: () => 'busy' })
  async pay(): Promise<string> {
    return currentLock().key;
  }
}

@Injectable()
class Reports {
  constructor(@InjectElection('reports') readonly election: LeaderElection) {}

  @OnlyLeader('reports')
  async run(): Promise<string> {
    return `${currentLock().key} ${this.election.isLeader}`;
  }
}

@Controller()
class Shop {
  constructor(
    @Inject(Orders) private readonly orders: Orders,
    @Inject(Farm) private readonly farm: Farm,
    @Inject(Basket) private readonly basket: Basket,
  ) {}

  @Post('ship/:order')
  @Locked('order:{0}', { timeoutMs: 20_000 })
  async ship(@Param('order') order: string, @CurrentLock() lock?: Lock): Promise<object> {
    // Joins the lock of the handler.
    return { shipped: await this.orders.ship(order), token: String(lock?.fencingToken) };
  }

  @Post('pay')
  async pay(): Promise<unknown> {
    return [await lastValueFrom(this.orders.rows('9')), await this.basket.pay()];
  }

  @Post('render')
  async render(): Promise<unknown> {
    return [await this.farm.render()];
  }
}

let room: Room;
let started: INestApplication[];

beforeEach(() => {
  room = new Room();
  started = [];
});
afterEach(async () => {
  room.gate.open();
  await Promise.all(started.map((app) => app.close()));
});

/** Takes what `@nestjs/observe` reports, in place of the service that usually does. */
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
  /** Waits until calls of all these classes have been reported. */
  const sees = (...classes: readonly string[]): Promise<unknown> =>
    waitFor(() => classes.every((name) => reported.includes(`"${name}"`)), {
      what: `spans of ${classes.join(', ')}`,
    });
  return { endpoint, sees };
}

/** An application under the instrumentation, as its documentation builds one. */
async function start() {
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
    providers: [Orders, Farm, Basket, Reports, { provide: Room, useValue: room }],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, {
    instrument: ObserveInstrument,
    logger: false,
    abortOnError: false,
  });
  started.push(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const post = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/${path}`, { method: 'POST' })).json();
  return { app, sees, post, reports: app.get(Reports) };
}

async function inside(count: number): Promise<void> {
  await waitFor(() => room.inside === count, { what: `${count} calls to be inside` });
}

describe('under the instrumentation of @nestjs/observe', () => {
  it('decorated methods hold their locks, and their calls are reported as spans', async () => {
    const { post, sees } = await start();
    const calls = ['7', '7', '8'].map((order) => post(`ship/${order}`));
    await inside(2);
    room.gate.open();
    const answers = (await Promise.all(calls)) as Record<'shipped' | 'token', string>[];
    for (const { shipped, token } of answers)
      expect(shipped).toMatch(new RegExp(`^[78] ${token}$`));
    expect(room.most).toBe(2);
    expect(new Set(answers.map(({ token }) => token)).size).toBeGreaterThan(1);
    expect(await post('pay')).toEqual(['9 stream:9', 'basket']);
    await sees('Orders', 'Basket');
  });

  it('permits are held, and semaphores are injected', async () => {
    const { app, post, sees } = await start();
    const calls = [post('render'), post('render'), post('render')];
    await inside(2);
    const cards = app.get<Semaphore>(getSemaphoreToken('cards'));
    await waitFor(async () => (await cards.inspect()).waiters.length === 1, { what: 'a waiter' });
    room.gate.open();
    expect(await Promise.all(calls)).toEqual(Array(3).fill(['cards of 2']));
    expect(room.most).toBe(2);
    await sees('Farm');
  });

  it('one replica leads, and hands over when it shuts down', async () => {
    const a = await start();
    await a.reports.election.whenLeader();
    const b = await start();
    expect(await a.reports.run()).toBe('reports true');
    await expect(b.reports.run()).rejects.toThrow(NotLeaderError);
    await a.app.close();
    await b.reports.election.whenLeader();
    expect(await b.reports.run()).toBe('reports true');
  });
});
