import { Controller, Get, Injectable, Sse } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Locked, LockedDecoratorError, currentLock } from 'nestjs-zk-lock';
import {
  NEVER,
  Observable,
  Subject,
  concat,
  firstValueFrom,
  lastValueFrom,
  of,
  toArray,
} from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { EventStream } from './support/event-stream.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** What the sources below emit; it tells whether they are subscribed. */
let source: Subject<string>;
let keys: string[];

beforeEach(() => {
  source = new Subject();
  keys = [];
});

@Injectable()
class Feeds {
  @Locked('feed:{0}')
  feed(_name: string): Observable<string> {
    keys.push(currentLock().key);
    return source;
  }

  @Locked('feed', { timeoutMs: 2_000 })
  impatient(): Observable<string> {
    keys.push(currentLock().key);
    return source;
  }

  @Locked('feed')
  async hidden(): Promise<Observable<string>> {
    return Promise.resolve(of('never seen'));
  }

  @Locked('outer')
  @Locked('inner')
  twice(): Observable<string> {
    keys.push(currentLock().key);
    return of('once');
  }
}

describe('a @Locked() method that returns an Observable', () => {
  async function build(): Promise<Feeds> {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Feeds] });
    return app.get(Feeds);
  }

  it('takes its lock when it is subscribed, and not before', async () => {
    const feed = (await build()).feed('a');
    expect(await apps.hasRoot()).toBe(false);
    const values = lastValueFrom(feed.pipe(toArray()));
    await waitFor(() => source.observed, { what: 'the source to be subscribed' });
    expect(await apps.lockNodes()).toHaveLength(1);
    source.next('one');
    source.next('two');
    source.complete();
    expect(await values).toEqual(['one', 'two']);
    expect(keys).toEqual(['feed:a']);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('takes a lock for each subscription, one after the other', async () => {
    const feed = (await build()).feed('a');
    const first = firstValueFrom(feed);
    const second = firstValueFrom(feed);
    await apps.untilQueued(2);
    await waitFor(() => source.observed, { what: 'the first to be subscribed' });
    source.next('one');
    expect(await first).toBe('one');
    await waitFor(() => source.observed, { what: 'the second to be subscribed' });
    source.next('two');
    expect(await second).toBe('two');
  });

  it('passes an error on after it has let go of the lock', async () => {
    const values = lastValueFrom((await build()).feed('a'));
    await waitFor(() => source.observed, { what: 'the source to be subscribed' });
    source.error(new RangeError('no more'));
    await expect(values).rejects.toThrow(RangeError);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('lets go of the lock when it is unsubscribed, also while it waits for it', async () => {
    const feed = (await build()).feed('a');
    const holding = feed.subscribe();
    const waiting = feed.subscribe();
    await apps.untilQueued(2);
    waiting.unsubscribe();
    await apps.untilQueued(1);
    holding.unsubscribe();
    await apps.untilQueued(0);
    expect(source.observed).toBe(false);
  });

  it('ends with the error of a lock that was not free in time', async () => {
    await using _lock = await (await apps.replica()).acquire('feed');
    const feed = (await build()).impatient();
    await expect(lastValueFrom(feed)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(keys).toEqual([]);
  });

  it('stops at once when its lock is lost', async () => {
    const values = lastValueFrom((await build()).feed('a'));
    await waitFor(() => source.observed, { what: 'the source to be subscribed' });
    const ended = expect(values).rejects.toMatchObject({
      code: 'LOCK_LOST',
      reason: 'node-deleted',
    });
    await apps.deleteLockNodes('feed:a');
    await ended;
    expect(source.observed).toBe(false);
  });

  it('holds both of its locks when it is decorated twice', async () => {
    expect(await lastValueFrom((await build()).twice())).toBe('once');
    expect(keys).toEqual(['inner']);
  });

  it('does not let one out of a promise, which nobody may ever subscribe', async () => {
    const hidden = (await build()).hidden();
    await expect(hidden).rejects.toThrow(LockedDecoratorError);
    await expect(hidden).rejects.toThrow(/Declare its return type as `Observable<…>`/);
    expect(await apps.lockNodes()).toEqual([]);
  });
});

@Controller()
class FeedsController {
  @Sse('declared')
  @Locked('feed', { timeoutMs: 2_000 })
  declared(): Observable<string> {
    return this.#events();
  }

  @Locked('feed', { timeoutMs: 2_000 })
  @Sse('promised')
  async promised(): Promise<Observable<string>> {
    return Promise.resolve(this.#events());
  }

  @Get('last')
  @Locked('feed')
  async last(): Promise<Observable<string>> {
    return Promise.resolve(of('first', 'last'));
  }

  #events(): Observable<string> {
    return concat(of(currentLock().key), source, NEVER);
  }
}

describe.each([
  ['Express', () => undefined],
  ['Fastify', () => new FastifyAdapter()],
])('a @Locked() handler that streams on %s', (_platform, adapter) => {
  const listen = () =>
    apps.listen({ imports: [apps.zkLock()], controllers: [FeedsController] }, adapter());

  it.each(['declared', 'promised'])('holds its lock while the client listens: %s', async (path) => {
    const url = await listen();
    const stream = new EventStream(`${url}/${path}`);
    await stream.until('data: feed');
    source.next('news');
    await stream.until('data: news');
    expect(await apps.lockNodes()).toHaveLength(1);
    stream.close();
    await apps.untilQueued(0);
    expect(source.observed).toBe(false);
  });

  it.each(['declared', 'promised'])(
    'tells the client in an error event when its lock was not free in time: %s',
    async (path) => {
      const url = await listen();
      await using _lock = await (await apps.replica()).acquire('feed');
      const stream = new EventStream(`${url}/${path}`);
      await stream.until('event: error');
      expect(stream.text).toContain('data: The resource is in use by another operation.');
      await stream.ended();
    },
  );

  it('tells the client and ends when its lock is lost', async () => {
    const url = await listen();
    const stream = new EventStream(`${url}/declared`);
    await stream.until('data: feed');
    await apps.deleteLockNodes('feed');
    await stream.until('event: error');
    expect(stream.text).toContain('data: The operation lost its lock');
    await stream.ended();
  });

  it('answers with the last value where it is no event stream', async () => {
    const url = await listen();
    expect(await (await fetch(`${url}/last`)).text()).toBe('last');
  });
});
