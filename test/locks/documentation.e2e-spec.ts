import { setImmediate as nextTurn } from 'node:timers/promises';
import 'reflect-metadata';
import { Global, Module, type Abstract, type INestApplication, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LockService, ZkLockModule, getElectionToken, type LeaderElection } from 'nestjs-zk-lock';
import type { Server } from 'node:http';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENT_NAMES } from '../../libs/zk-locks/src/client/client-name.js';
import type { LocksOptions, SemaphoreOptions } from 'zk-locks';
import { codeIn, sourcesIn } from '../support/documentation.js';
import {
  expectRising,
  openInspector,
  openLocks,
  ownRoot,
  type TestLocks,
} from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';
import { AccountService, Bank } from './examples/account.service.js';
import { Feed, FeedService } from './examples/feed.service.js';
import { IndexService, SearchIndex } from './examples/index.service.js';
import { LocksController } from './examples/locks.controller.js';
import { OrderService, Warehouse } from './examples/order.service.js';
import { PosterModule, PosterService, Printer } from './examples/poster.module.js';
import { PriceList, PriceService } from './examples/price.service.js';
import { RenderFarm, RenderService } from './examples/render.service.js';
import { Stock, StockService } from './examples/stock.service.js';

const url = (path: string): URL => new URL(path, import.meta.url);

it('docs/locks.md shows the examples as they are tested here, and no other code', () => {
  const shown = codeIn(url('../../docs/locks.md'));
  expect(shown.toSorted()).toEqual(sourcesIn(url('examples/')).toSorted());
});

/** The place that an example guards: whoever comes in stays until the test lets them go. */
class Room {
  readonly #leaving = new Map<string, () => void>();
  /** All who have come in, in order. */
  readonly visits: string[] = [];

  /** In alphabetical order: who comes in together does so in any. */
  get inside(): string[] {
    return [...this.#leaving.keys()].toSorted();
  }

  async visit(name: string): Promise<void> {
    this.visits.push(name);
    await new Promise<void>((resolve) => this.#leaving.set(name, resolve));
  }

  async entered(...names: string[]): Promise<void> {
    await waitFor(() => names.every((name) => this.#leaving.has(name)), {
      what: `${names.join(', ')} to come in; inside: ${this.inside.join(', ')}`,
    });
  }

  leave(...names: string[]): void {
    for (const name of names) {
      const leave = this.#leaving.get(name);
      if (!leave) throw new Error(`${name} is not inside`);
      this.#leaving.delete(name);
      leave();
    }
  }
}

interface Replica<T> {
  readonly app: INestApplication;
  readonly example: T;
  readonly locks: LockService;
}

/** The replicas of one application, each with a session of its own. */
async function openReplicas() {
  // The examples name the paths that an application would use; a chroot keeps them in this test.
  const chroot = ownRoot();
  const inspector = await openInspector();
  await inspector.create(chroot);
  const servers = sharedServer().connectString + chroot;

  async function start<T>(
    example: Type<T>,
    ...port: [] | [token: Abstract<unknown>, fake: object]
  ): Promise<Replica<T>> {
    const [token, fake] = port;
    const module = await Test.createTestingModule({
      imports: [ZkLockModule.forRoot({ servers, application: 'shop' })],
      controllers: token ? [] : [example],
      providers: token ? [example, { provide: token, useValue: fake }] : [],
    }).compile();
    const app = module.createNestApplication();
    onTestFinished(() => app.close());
    await app.init();
    return { app, example: app.get(example), locks: app.get(LockService) };
  }

  /** How many znodes of holders and waiters there are, of all keys. */
  async function nodes(): Promise<number> {
    return (await inspector.tree(chroot)).filter((path) => /-?\d{10}$/.test(path)).length;
  }

  return { start, nodes };
}

async function waiting({ locks }: Replica<unknown>, key: string, count: number): Promise<void> {
  await waitFor(
    async () => (await locks.inspect(key, { linearizable: true })).waiters.length === count,
    { what: `${count} waiting for ${key}` },
  );
}

it('the exclusive lock lets one replica ship an order; others of it wait, other orders do not', async () => {
  const { start, nodes } = await openReplicas();
  const room = new Room();
  const tokens: bigint[] = [];
  const open = (name: string): Warehouse => ({
    pack: (order) => room.visit(`${name} packs ${order}`),
    book: async (_order, token) => void tokens.push(token),
    archive: (order) => room.visit(`${name} archives ${order}`),
  });
  const a = await start(OrderService, Warehouse, open('a'));
  const b = await start(OrderService, Warehouse, open('b'));
  const first = a.example.ship('1');
  await room.entered('a packs 1');
  const second = b.example.ship('1');
  await waiting(a, 'order:1', 1);
  const other = b.example.ship('2');
  await room.entered('b packs 2');
  expect(room.inside).toEqual(['a packs 1', 'b packs 2']);
  expect(await nodes()).toBe(3);
  expect(await b.example.bookFree(['3', '1', '4'])).toBe(false);
  expect(tokens).toHaveLength(1);

  room.leave('b packs 2', 'a packs 1');
  await Promise.all([other, first]);
  // The second came before what the first has left behind.
  await room.entered('b packs 1');
  expect(room.inside).not.toContain('a archives 1');
  room.leave('b packs 1');
  await second;
  await room.entered('a archives 1');
  room.leave('a archives 1');
  await room.entered('b archives 1', 'b archives 2');
  room.leave('b archives 1', 'b archives 2');
  await waitFor(async () => (await nodes()) === 0, { what: 'the locks to be free' });
  expect(tokens).toHaveLength(4);
  expectRising(tokens.slice(-2));
});

it('a downgraded writer keeps writers out and lets readers in', async () => {
  const { start } = await openReplicas();
  const room = new Room();
  const open = (name: string): PriceList => ({
    read: (article) => room.visit(`${name} reads ${article}`).then(() => 1),
    write: (article) => room.visit(`${name} writes ${article}`),
    print: () => room.visit(`${name} prints`),
  });
  const a = await start(PriceService, PriceList, open('a'));
  const b = await start(PriceService, PriceList, open('b'));
  const printed = a.example.changeAndPrint('tea', 2);
  await room.entered('a writes tea');
  const quotes = [b.example.quote('tea'), b.example.quote('ink')];
  await waiting(a, 'prices', 2);
  const change = b.example.change('tea', 3);
  await waiting(a, 'prices', 3);
  expect(room.inside).toEqual(['a writes tea']);
  room.leave('a writes tea');
  await room.entered('a prints', 'b reads ink', 'b reads tea');
  room.leave('b reads ink', 'b reads tea');
  expect(await Promise.all(quotes)).toEqual([1, 1]);
  expect(await b.locks.tryAcquire('prices')).toBeNull();
  expect(room.inside).toEqual(['a prints']);
  room.leave('a prints');
  await printed;
  await room.entered('b writes tea');
  room.leave('b writes tea');
  await change;
});

it('an upgradable reader reads beside readers, and writes alone with no writer in between', async () => {
  const { start } = await openReplicas();
  const room = new Room();
  let count = 5;
  const open = (name: string): Stock => ({
    count: () => room.visit(`${name} counts`).then(() => count),
    reorder: async () => {
      await room.visit(`${name} reorders`);
      count += 100;
    },
  });
  const a = await start(StockService, Stock, open('a'));
  const b = await start(StockService, Stock, open('b'));
  const c = await start(StockService, Stock, open('c'));
  const first = a.example.reorderIfLow('tea');
  await room.entered('a counts');
  const second = b.example.reorderIfLow('tea');
  const reading = c.example.count('tea');
  await room.entered('c counts');
  room.leave('a counts');
  await waiting(a, 'stock:tea', 1);
  expect(room.inside).toEqual(['c counts']);
  room.leave('c counts');
  expect(await reading).toBe(5);
  await room.entered('a reorders');
  expect(await c.locks.tryAcquire('stock:tea', { mode: 'read' })).toBeNull();
  room.leave('a reorders');
  await first;
  await room.entered('b counts');
  room.leave('b counts');
  await second;
  expect(room.visits).not.toContain('b reorders');
  expect(count).toBe(105);
});

it('several locks are taken without a deadlock, and shared where they are taken for reading', async () => {
  const { start } = await openReplicas();
  const room = new Room();
  const open = (name: string): Bank => ({
    move: (from, to) => room.visit(`${name} moves ${from} to ${to}`),
    exchange: (from, to) => room.visit(`${name} exchanges ${from} to ${to}`),
  });
  const a = await start(AccountService, Bank, open('a'));
  const b = await start(AccountService, Bank, open('b'));
  const there = a.example.transfer('x', 'y', 1);
  await room.entered('a moves x to y');
  const back = b.example.transfer('y', 'x', 1);
  await waiting(a, 'account:x', 1);
  // Taken in one order: who waits for x does not have y yet.
  expect((await a.locks.inspect('account:y')).waiters).toEqual([]);
  const exchanges = [a.example.exchange('p', 'q', 1), b.example.exchange('u', 'v', 1)];
  await room.entered('a exchanges p to q', 'b exchanges u to v');
  expect(await b.locks.tryAcquire('rates')).toBeNull();
  room.leave('a exchanges p to q', 'b exchanges u to v', 'a moves x to y');
  await Promise.all([there, ...exchanges]);
  await room.entered('b moves y to x');
  room.leave('b moves y to x');
  await back;
});

it('a semaphore lets in as many as there are licences, and gives several permits together', async () => {
  const { start } = await openReplicas();
  const room = new Room();
  const farm: RenderFarm = { render: (scene) => room.visit(scene) };
  const a = await start(RenderService, RenderFarm, farm);
  const b = await start(RenderService, RenderFarm, farm);
  const licences = { sharedCount: '/counts/licences', seed: 2 };
  const queued = async (key: string, permits: SemaphoreOptions['permits']): Promise<void> => {
    const semaphore = a.locks.semaphore(key, { permits });
    const look = async (): Promise<boolean> =>
      (await semaphore.inspect({ linearizable: true })).waiters.length === 1;
    await waitFor(look, { what: `one waiting for ${key}` });
  };
  const stills = [a.example.still('1'), b.example.still('2')];
  await room.entered('1', '2');
  stills.push(a.example.still('3'));
  await queued('licences', licences);
  expect(room.inside).toEqual(['1', '2']);
  await b.example.setLicences(3);
  await room.entered('3');
  room.leave('1', '2', '3');
  await Promise.all(stills);

  const films = [a.example.film('1')];
  await room.entered('1');
  films.push(b.example.film('2'));
  await queued('cards', 4);
  expect(room.inside).toEqual(['1']);
  room.leave('1');
  await room.entered('2');
  room.leave('2');
  await Promise.all(films);
});

it('the leader works; another replica takes over when it resigns or leaves', async () => {
  const { start } = await openReplicas();
  const log: string[] = [];
  const readers: string[] = [];
  const tokens: bigint[] = [];
  const open = (name: string): Feed => ({
    read: async (signal, token) => {
      readers.push(name);
      tokens.push(token);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      readers.splice(readers.indexOf(name), 1);
    },
    sendSummary: async () => void log.push(name),
  });
  const a = await start(FeedService, Feed, open('a'));
  await waitFor(() => readers.length === 1, { what: 'a to lead' });
  const b = await start(FeedService, Feed, open('b'));
  await waiting(a, 'feed', 1);
  const expectLeader = async (name: string): Promise<void> => {
    await waitFor(() => readers.includes(name), { what: `${name} to lead` });
    expect(readers).toEqual([name]);
    log.length = 0;
    await Promise.all([a.example.sendSummary(), b.example.sendSummary()]);
    expect(log).toEqual([name]);
  };
  await expectLeader('a');
  await a.example.stepDown();
  await expectLeader('b');
  await waiting(b, 'feed', 1);
  await b.app.close();
  await expectLeader('a');
  expect(tokens).toHaveLength(3);
  expectRising(tokens);
});

it('semaphores and elections of a module are injected, and agreed on', async () => {
  const room = new Room();
  @Global()
  @Module({
    providers: [{ provide: Printer, useValue: { print: (poster: string) => room.visit(poster) } }],
    exports: [Printer],
  })
  class PrinterModule {}
  const servers = sharedServer().connectString;
  const zkLock = ZkLockModule.forRoot({ servers, root: ownRoot(), isGlobal: true });
  const module = await Test.createTestingModule({
    imports: [zkLock, PrinterModule, PosterModule],
  }).compile();
  onTestFinished(() => module.close());
  await module.init();
  const posters = module.get(PosterService);
  await module.get<LeaderElection>(getElectionToken('reports')).whenLeader();
  expect(await posters.status()).toEqual({ free: 4, reportsHere: true });
  const printed = posters.print('a');
  await room.entered('a');
  expect(await posters.status()).toEqual({ free: 3, reportsHere: true });
  room.leave('a');
  await printed;
});

it('work that is asked for its lock stops and hands over; those that come later are not asked', async () => {
  const { start } = await openReplicas();
  const room = new Room();
  const open = (name: string): SearchIndex => ({
    build: (page) => room.visit(`${name} builds ${page}`),
  });
  const a = await start(IndexService, SearchIndex, open('a'));
  const b = await start(IndexService, SearchIndex, open('b'));
  const rebuilt = a.example.rebuild(['1', '2', '3', '4']);
  await room.entered('a builds 1');
  room.leave('a builds 1');
  await room.entered('a builds 2');
  const corrected = b.example.correct('9');
  await waiting(a, 'index', 1);
  await waitFor(
    async () => (await a.locks.inspect('index')).holders[0]?.holder?.revokedAt !== undefined,
    { what: 'the request' },
  );
  expect(room.inside).toEqual(['a builds 2']);
  room.leave('a builds 2');
  expect(await rebuilt).toEqual(['3', '4']);
  await room.entered('b builds 9');
  room.leave('b builds 9');
  await corrected;
  const again = a.example.rebuild(['3']);
  await room.entered('a builds 3');
  room.leave('a builds 3');
  expect(await again).toEqual([]);
  expect(room.visits).toEqual(['a builds 1', 'a builds 2', 'b builds 9', 'a builds 3']);
});

it('inspection answers who holds a lock and who waits, and writes nothing', async () => {
  const { start, nodes } = await openReplicas();
  const { app, locks } = await start(LocksController);
  const other = await start(LocksController);
  const lock = await other.locks.acquire('order:1', { label: 'invoice 7' });
  const second = locks.acquire('order:1', { mode: 'read' });
  await waiting(other, 'order:1', 1);
  const before = await nodes();

  const server = app.getHttpServer() as Server;
  await request(server).get('/locks').expect(200, ['order:1']);
  const shown = await request(server).get('/locks/order:1').expect(200);
  const holder = { application: 'shop', label: 'invoice 7', pid: process.pid };
  expect(shown.body).toMatchObject({
    total: 2,
    holders: [{ mode: 'write', ...holder, fencingToken: String(lock.fencingToken) }],
    waiters: [{ mode: 'read', application: 'shop' }],
  });
  expect(await nodes()).toBe(before);
  await lock.release();
  await (await second).release();
});

describe('the round trips', () => {
  type Note = <T>(call: () => Promise<T>) => Promise<T>;

  /**
   * For each call that a story notes, how many answers it has waited for: requests that are sent
   * before an answer has come are one round trip.
   */
  async function roundTrips(
    options: Pick<LocksOptions, 'servers' | 'client'>,
    story: (locks: TestLocks, note: Note) => Promise<unknown>,
  ): Promise<number[]> {
    const locks = await openLocks(options);
    const underway = new Set<Promise<unknown>>();
    let current = 0;
    let hasAnswer = false;
    let answered = new Set<number>();
    const session = locks.session as unknown as Record<string, (...args: never[]) => unknown>;
    for (const name of ['create', 'list', 'get', 'set', 'delete', 'sync']) {
      const send = session[name]!.bind(session) as (...args: never[]) => Promise<unknown>;
      session[name] = (...args) => {
        if (hasAnswer) current++;
        hasAnswer = false;
        const own = current;
        const answer = send(...args).finally(() => {
          answered.add(own);
          hasAnswer = true;
          underway.delete(answer);
        });
        underway.add(answer);
        return answer;
      };
    }
    let noted: number[] = [];
    const note: Note = async (call) => {
      // What an earlier call has asked, or is about to ask, and not waited for.
      await nextTurn();
      await Promise.allSettled(underway);
      hasAnswer = true;
      answered = new Set();
      const result = await call();
      noted.push(answered.size);
      return result;
    };
    // The first time also creates the directories.
    await story(locks, note);
    noted = [];
    await story(locks, note);
    return noted;
  }

  it.each(CLIENT_NAMES)('are those that the page says, with the client %s', async (client) => {
    const isWire = client === 'wire';
    // One that leaves empty directories alone: their creation is not counted here.
    const server = await startServer({ containerCheckIntervalMs: 3_600_000 });
    onTestFinished(() => server.stop());
    const counted = (story: (locks: TestLocks, note: Note) => Promise<unknown>) =>
      roundTrips({ servers: server.connectString, client }, story);
    const taken = await counted(async (locks, note) => {
      const lock = await note(() => locks.acquire('k'));
      await note(() => locks.tryAcquire('k'));
      await note(() => lock.release());
      const tried = await note(() => locks.tryAcquire('k'));
      await tried!.release();
    });
    expect(taken).toEqual(isWire ? [1, 1, 1, 2] : [2, 1, 1, 3]);

    const downgraded = await counted((locks, note) =>
      locks.withLock('k', async (writer) => {
        const reader = await note(() => locks.acquire('k', { mode: 'read' }));
        await note(() => writer.release());
        await reader.release();
      }),
    );
    expect(downgraded).toEqual([0, 3]);

    const upgraded = await counted(async (locks, note) => {
      const lock = await note(() => locks.acquireUpgradable('k'));
      const writing = await note(() => lock.upgrade());
      await writing.release();
      await lock.release();
    });
    expect(upgraded).toEqual(isWire ? [2, 4] : [3, 4]);

    const several = await counted(async (locks, note) => {
      const both = await note(() => locks.acquireAll(['a', 'b', 'c']));
      await note(() => both.release());
    });
    expect(several).toEqual(isWire ? [3, 1] : [6, 1]);

    const sharedCount = '/count';
    const permitted = await counted(async (locks, note) => {
      const fixed = locks.semaphore('s', { permits: 4 });
      const shared = locks.semaphore('t', { permits: { sharedCount, seed: 4 } });
      const one = await note(() => fixed.acquire());
      const three = await note(() => fixed.acquire({ permits: 3 }));
      const shareOfCount = await note(() => shared.acquire());
      await note(() => three.release());
      await one.release();
      await shareOfCount.release();
    });
    expect(permitted).toEqual([3, 4, 4, 1]);

    const looked = await counted(async (locks, note) => {
      const lock = await locks.acquire('k');
      await note(() => locks.inspect('k'));
      await note(() => locks.list());
      await note(() => locks.revoke('k'));
      await lock.release();
    });
    expect(looked).toEqual([2, 1, 3]);
  });
});
