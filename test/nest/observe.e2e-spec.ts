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
  LockService,
  Locked,
  OnlyLeader,
  type Semaphore,
  WithPermit,
  ZkLockModule,
  currentLock,
  currentPermit,
  getSemaphoreToken,
} from 'nestjs-zk-lock';
import { Observable, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { SpanCollector } from './support/span-collector.js';
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
    @Inject(Reports) private readonly reports: Reports,
    @Inject(LockService) private readonly locks: LockService,
  ) {}

  @Post('ship/:order')
  @Locked('order:{0}', { timeoutMs: 20_000 })
  async ship(@Param('order') order: string, @CurrentLock() lock?: Lock): Promise<object> {
    // Joins the lock of the handler.
    return { shipped: await this.orders.ship(order), token: String(lock?.fencingToken) };
  }

  @Post('rows')
  rows(): Observable<string> {
    return this.orders.rows('9');
  }

  @Post('render')
  async render(): Promise<object> {
    return { rendered: await this.farm.render() };
  }

  @Post('pay')
  async pay(): Promise<object> {
    return { paid: await this.basket.pay() };
  }

  @Post('report')
  async report(): Promise<object> {
    return { report: await this.reports.run() };
  }

  @Post('try/:order')
  @Locked('order:{0}', { timeoutMs: 0 })
  async try(@Param('order') _order: string): Promise<object> {
    return this.locks.counts;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

let collector: SpanCollector;
let room: Room;
let started: INestApplication[];

beforeEach(async () => {
  collector = await SpanCollector.start();
  room = new Room();
  started = [];
});
afterEach(async () => {
  room.gate.open();
  await Promise.all(started.map((app) => app.close()));
  await collector.stop();
});

/** An application under the instrumentation, as its documentation builds one. */
async function start() {
  const { ObserveModule, ObserveInstrument } = createObserveModule();
  @Module({
    imports: [
      ObserveModule.forRoot({
        appKey: 'key',
        appSecret: 'secret',
        serviceId: 'shop',
        endpoint: collector.url,
        flushInterval: 1_000,
      }),
      apps.zkLock({ isGlobal: true }),
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
  const post = async (path: string): Promise<Answer> => {
    const response = await fetch(`${url}/${path}`, { method: 'POST' });
    return { status: response.status, text: await response.text() };
  };
  return { app, post, reports: app.get(Reports) };
}

async function inside(count: number): Promise<void> {
  await waitFor(() => room.inside === count, { what: `${count} calls to be inside` });
}

describe('under the instrumentation of @nestjs/observe', () => {
  it('decorated methods hold their locks, and their calls are reported as spans', async () => {
    const { post } = await start();
    const calls = [post('ship/7'), post('ship/7'), post('ship/8')];
    await inside(2);
    expect(await post('try/7')).toMatchObject({ status: 423 });
    room.gate.open();
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const bodies = answers.map(({ text }) => JSON.parse(text) as Record<string, string>);
    for (const { shipped, token } of bodies) expect(shipped).toMatch(new RegExp(`^[78] ${token}$`));
    expect(room.most).toBe(2);
    expect(new Set(bodies.map(({ token }) => token)).size).toBeGreaterThan(1);
    expect((await post('rows')).text).toBe('9 stream:9');
    expect((await post('pay')).text).toBe('{"paid":"basket"}');
    await collector.sees('Orders.ship', 'Orders.rows', 'Basket.pay');
  });

  it('permits are held, and semaphores are injected', async () => {
    const { app, post } = await start();
    const calls = [post('render'), post('render'), post('render')];
    await inside(2);
    const cards = app.get<Semaphore>(getSemaphoreToken('cards'));
    await waitFor(async () => (await cards.inspect()).waiters.length === 1, { what: 'a waiter' });
    room.gate.open();
    const answers = await Promise.all(calls);
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill('{"rendered":"cards of 2"}'));
    expect(room.most).toBe(2);
    await collector.sees('Farm.render');
  });

  it('one replica leads, and hands over when it shuts down', async () => {
    const a = await start();
    await a.reports.election.whenLeader();
    const b = await start();
    expect(await a.post('report')).toEqual({ status: 201, text: '{"report":"reports true"}' });
    expect(await b.post('report')).toMatchObject({ status: 503 });
    await a.app.close();
    await b.reports.election.whenLeader();
    expect(await b.post('report')).toMatchObject({ status: 201 });
    await collector.sees('Reports.run');
  });
});
