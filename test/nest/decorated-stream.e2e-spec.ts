import { Injectable } from '@nestjs/common';
import { LockedDecoratorError } from 'nestjs-zk-lock';
import { Observable, Subject, lastValueFrom, of, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { WAITING } from './support/decorators.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** Emits the values of the sources below, and shows whether they are subscribed to. */
let source: Subject<string>;
let keys: string[];

beforeEach(() => {
  source = new Subject();
  keys = [];
});

const isSubscribed = () => waitFor(() => source.observed, { what: 'the source to be subscribed' });

const valuesOf = <T>(stream: Observable<T>): Promise<T[]> => lastValueFrom(stream.pipe(toArray()));

describe.each(WAITING)('%s: an Observable', (name, { decorate, current, mode }) => {
  @Injectable()
  class Feeds {
    @decorate('feed:{0}')
    feed(_name: string): Observable<string> {
      keys.push(current().key);
      return source;
    }

    @decorate('feed')
    async hidden(): Promise<Observable<string>> {
      return Promise.resolve(of('never seen'));
    }
  }

  async function build(): Promise<Feeds> {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Feeds] });
    return app.get(Feeds);
  }

  it('requests its lock only when it is subscribed to', async () => {
    const feed = (await build()).feed('a');
    expect(await apps.hasRoot()).toBe(false);
    const values = valuesOf(feed);
    await isSubscribed();
    expect(await apps.lockNodes()).toHaveLength(1);
    source.next('one');
    source.next('two');
    source.complete();
    expect(await values).toEqual(['one', 'two']);
    expect(keys).toEqual(['feed:a']);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('stops at once when it loses its lock', async () => {
    const values = lastValueFrom((await build()).feed('a'));
    await isSubscribed();
    const loss = { code: 'LOCK_LOST', mode, reason: 'node-deleted' };
    const ended = expect(values).rejects.toMatchObject(loss);
    await apps.deleteLockNodes('feed:a');
    await ended;
    expect(source.observed).toBe(false);
  });

  it('is refused as the result of a promise, because it might never be subscribed to', async () => {
    const hidden = (await build()).hidden();
    await expect(hidden).rejects.toThrow(LockedDecoratorError);
    await expect(hidden).rejects.toThrow(`${name}() on Feeds.hidden: `);
    await expect(hidden).rejects.toThrow(
      /Declare its return type as `Observable<…>`, .* without `import type`/,
    );
    expect(await apps.lockNodes()).toEqual([]);
  });
});
