import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import 'reflect-metadata';
import type { Abstract, ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  currentLock,
  getElectionToken,
  type LeaderElection,
  LockService,
  ZkLockModule,
} from 'nestjs-zk-lock';
import type { Server } from 'node:http';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Clock } from '../../libs/zk-client/src/session/clock.js';
import { CLIENT_NAMES } from '../../libs/zk-locks/src/options/client-name.js';
import type { LocksOptions } from 'zk-locks';
import { blocksIn, sourcesIn } from '../support/documentation.js';
import { openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';
import { AccountService, Bank } from './examples/account.service.js';
import { EncodeService, Encoder } from './examples/encode.service.js';
import { Feed, FeedService } from './examples/feed.service.js';
import { IndexService, SearchIndex } from './examples/index.service.js';
import { LocksController } from './examples/locks.controller.js';
import { OrderService, Warehouse } from './examples/order.service.js';
import { PosterModule, PosterService, Printer } from './examples/poster.module.js';
import { PriceList, PriceService } from './examples/price.service.js';
import { RenderFarm, RenderService } from './examples/render.service.js';
import { Stock, StockService } from './examples/stock.service.js';

const url = (path: string): URL => new URL(path, import.meta.url);

it('docs/locks.md shows the examples as they are tested here, and no other code of ours', () => {
  const shown = blocksIn(url('../../docs/locks.md')).filter(({ language }) => language === 'ts');
  const code = shown.map((block) => block.code);
  expect(code.toSorted()).toEqual(sourcesIn(url('examples/')).toSorted());
});

/** The lock or permit that a held znode stands for, such as `write order:1`. */
function heldBy(path: string): string[] {
  const [, key, kind] = /\/([^/]+)(?:\/leases)?\/_c_.*-_*(WRIT|READ|lease)/.exec(path) ?? [];
  const kinds: Record<string, string> = { WRIT: 'write', READ: 'read', lease: 'permit' };
  return kind === undefined ? [] : [`${kinds[kind]!} ${key!}`];
}

type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Starts an application with an example, whose port gives these answers. `log` contains its calls,
 * each with everything that is held at that time. A chroot confines the example's keys to this
 * test.
 */
async function start(metadata: ModuleMetadata, port?: Abstract<unknown>, answers: Answers = {}) {
  const chroot = ownRoot();
  const inspector = await openInspector();
  await inspector.create(chroot);
  const servers = sharedServer().connectString + chroot;
  const log: string[] = [];
  const logged = ([name, answer]: [string, Answers[string]]) => {
    const call = async (...args: never[]): Promise<unknown> => {
      const held = (await inspector.tree(chroot)).flatMap(heldBy).toSorted();
      const said = args.filter((one) => ['string', 'number'].includes(typeof one));
      log.push(`${[name, ...said].join(' ')}: ${held.join(', ')}`);
      return answer(...args);
    };
    return [name, call];
  };
  const fake = Object.fromEntries(Object.entries(answers).map(logged)) as object;
  const ports = {
    ...{ module: class Ports {}, global: true, exports: port ? [port] : [] },
    providers: port ? [{ provide: port, useValue: fake }] : [],
  };
  const zkLock = ZkLockModule.forRoot({ servers, application: 'shop' });
  const imports = [zkLock, ports, ...(metadata.imports ?? [])];
  const module = await Test.createTestingModule({ ...metadata, imports }).compile();
  const app = module.createNestApplication();
  onTestFinished(() => app.close());
  await app.init();
  const called = async (times: number): Promise<void> => {
    await waitFor(() => log.length === times, { what: `${times} calls: ${log.join()}` });
  };
  return { app, locks: app.get(LockService), log, called };
}

const nothing = (): void => undefined;

it('the exclusive lock is held while an order is shipped and booked', async () => {
  const answers = { pack: nothing, book: nothing };
  const { app, log } = await start({ providers: [OrderService] }, Warehouse, answers);
  await app.get(OrderService).ship('1');
  expect(await app.get(OrderService).bookIfFree('2')).toBe(true);
  expect(log).toEqual([
    ...['pack 1: write order:1', 'book 1: write order:1'],
    'book 2: write order:2',
  ]);
});

it('a video is encoded under its lock, whose signal the child is given', async () => {
  const encode = (_video: string, signal: AbortSignal) => expect(signal.aborted).toBe(false);
  const { app, log } = await start({ providers: [EncodeService] }, Encoder, { encode });
  await app.get(EncodeService).encode('7');
  expect(log).toEqual(['encode 7: write video:7']);
});

it('prices are read under a read lock, and printed under a writer that was downgraded', async () => {
  const answers = { read: () => 1, write: nothing, print: nothing };
  const { app, log } = await start({ providers: [PriceService] }, PriceList, answers);
  await app.get(PriceService).changeAndPrint('tea', 2);
  expect(await app.get(PriceService).quote('tea')).toBe(1);
  expect(log).toEqual([
    ...['write tea 2: write prices', 'print: read prices'],
    'read tea: read prices',
  ]);
});

it('stock is counted under an upgradable lock, and reordered once that is upgraded', async () => {
  const answers = { count: (article: string) => (article === 'tea' ? 5 : 10), reorder: nothing };
  const { app, log } = await start({ providers: [StockService] }, Stock, answers);
  for (const article of ['tea', 'ink']) await app.get(StockService).reorderIfLow(article);
  const [intent, reading] = ['write stock:tea%upgradable', 'read stock:tea'];
  expect(log).toEqual([
    `count tea: ${reading}, ${intent}`,
    `reorder tea: ${reading}, write stock:tea, ${intent}`,
    'count ink: read stock:ink, write stock:ink%upgradable',
  ]);
});

it('both accounts are held for a transfer, and the rates are read', async () => {
  const answers = { move: nothing };
  const { app, log } = await start({ providers: [AccountService] }, Bank, answers);
  await app.get(AccountService).transfer('x', 'y', 1);
  await app.get(AccountService).exchange('x', 'y', 2);
  expect(log).toEqual([
    'move x y 1: write account:x, write account:y',
    'move x y 2: read rates, write account:x, write account:y',
  ]);
});

it('a still takes one licence, and a film three cards', async () => {
  const answers = { render: nothing };
  const { app, log, locks } = await start({ providers: [RenderService] }, RenderFarm, answers);
  const service = app.get(RenderService);
  await service.still('1');
  await service.film('2');
  await service.setLicences(7);
  const permits = { sharedCount: '/counts/licences', seed: 2 };
  expect(await locks.semaphore('licences', { permits }).permits()).toBe(7);
  expect(log).toEqual([
    'render 1: permit licences',
    'render 2: permit cards, permit cards, permit cards',
  ]);
});

it('the leader reads the feed and sends summaries, and leads again after it has resigned', async () => {
  const read = (signal: AbortSignal) => sleep(60_000, undefined, { signal });
  const answers = { read, sendSummary: nothing };
  const { app, log, called } = await start({ providers: [FeedService] }, Feed, answers);
  await called(1);
  await app.get(FeedService).sendSummary();
  await app.get(FeedService).stepDown();
  await called(3);
  expect(log).toEqual(['read: write feed', 'sendSummary: write feed', 'read: write feed']);
});

it('semaphores and elections of a module are injected, and agreed on', async () => {
  const { app, log } = await start({ imports: [PosterModule] }, Printer, { print: nothing });
  await app.get<LeaderElection>(getElectionToken('reports')).whenLeader();
  const posters = app.get(PosterService, { strict: false });
  expect(posters.reports.isLeader).toBe(true);
  expect((await posters.cards.inspect()).permits).toBe(4);
  await posters.print('a');
  expect(log).toEqual(['print a: permit cards, write reports']);
});

it('work that is asked to release its lock stops and returns what is left', async () => {
  const build = async (page: string): Promise<void> => {
    if (page !== '2') return;
    await index.locks.revoke('index');
    await waitFor(() => currentLock().revoked.aborted, { what: 'the request' });
  };
  const index = await start({ providers: [IndexService] }, SearchIndex, { build });
  expect(await index.app.get(IndexService).rebuild(['1', '2', '3'])).toEqual(['3']);
  await index.app.get(IndexService).correct('9');
  expect(index.log).toEqual(['1', '2', '9'].map((page) => `build ${page}: write index`));
});

it('inspection shows over HTTP who holds a lock and who waits', async () => {
  const { app, locks } = await start({ controllers: [LocksController] });
  await using lock = await locks.acquire('order:1', { label: 'invoice 7' });
  const waiting = locks.acquire('order:1', { mode: 'read', timeoutMs: 60_000 });
  const isQueued = async () => (await locks.inspect('order:1')).total === 2;
  await waitFor(isQueued, { what: 'the reader to wait' });
  const holder = { application: 'shop', label: 'invoice 7', pid: process.pid };
  const shown = {
    total: 2,
    holders: [{ mode: 'write', ...holder, token: String(lock.fencingToken) }],
    waiters: [{ mode: 'read', application: 'shop' }],
  };
  const server = app.getHttpServer() as Server;
  await request(server).get('/locks').expect(200, ['order:1']);
  const response = await request(server).get('/locks/order:1').expect(200);
  expect(response.body).toMatchObject(shown);
  const [{ node, token }] = (response.body as { holders: [{ node: string; token: string }] })
    .holders;
  const broken = `/locks/order:1/${node}/${token}`;
  const answer = await request(server).delete(broken).expect(200);
  expect(answer.body).toMatchObject({ mode: 'write', ...holder });
  expect(lock.isHeld).toBe(false);
  await lock.release();
  await (await waiting).release();
});

describe('the round trips', () => {
  type Note = <T>(call: () => Promise<T>) => Promise<T>;

  /**
   * Counts, for each call that a story notes, the round trips that it has waited for. Requests that
   * are sent before an answer has arrived share a round trip.
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
      // Waits for requests of earlier calls, including those that are about to be sent.
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
    // Stops the session's clock: on a slow machine, its news would become old and be requested
    // again.
    const stopped = vi.spyOn(Clock.prototype, 'now').mockReturnValue(new Clock().now());
    await story(locks, note);
    stopped.mockRestore();
    return noted;
  }

  it.each(CLIENT_NAMES)('are as the page states, with the client %s', async (client) => {
    const isWire = client === 'wire';
    // This server keeps empty directories: their creation is not counted here.
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
    expect(downgraded).toEqual([0, 4]);

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
      const three = await note(() => fixed.acquire({ take: 3 }));
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
    expect(looked).toEqual([2, 1, 4]);
  });
});
