import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Logger,
  type MessageEvent,
  type NestInterceptor,
  Param,
  Res,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { ClsInterceptor, ClsModule } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import { from, lastValueFrom, NEVER, Observable, of, startWith, switchMap, tap } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventStream } from '../nest/support/event-stream.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';

const apps = useTestApps();

/** Calls `handle()` when it is subscribed to, as the ClsInterceptor does. */
@Injectable()
class Later implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(Promise.resolve()).pipe(switchMap(() => next.handle()));
  }
}

/** Needs a value, as a transaction around the handler does. */
@Injectable()
class Collecting implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(lastValueFrom(next.handle()));
  }
}

/** Between Nest and the interceptor of `@Locked()`, or between that and the method. */
const INTERCEPTORS = [
  ['no other interceptor', false, []],
  ['the ClsInterceptor of the application', true, []],
  ['a ClsInterceptor of its own', false, [ClsInterceptor]],
  ['an interceptor of its own that waits', false, [Later]],
] as const;

const SETUPS = PLATFORMS.flatMap(([platform, adapter]) =>
  INTERCEPTORS.map((interceptors) => [...interceptors, platform, adapter] as const),
);

describe.each(SETUPS)('a handler with %s', (_name, mount, own, platform, adapter) => {
  let picks: string[];
  let counts: number;

  @Controller('stock/:sku')
  class Stock {
    @Get('pick')
    @UseInterceptors(...own)
    @Locked('{0}')
    async pick(@Param('sku') sku: string): Promise<void> {
      picks.push(sku);
      return Promise.resolve();
    }

    @Get('try')
    @UseInterceptors(...own)
    @Locked('{0}', { onBusy: 'skip' })
    async try(
      @Param('sku') sku: string,
      @Res() response: { send: (body: string) => unknown },
    ): Promise<void> {
      await response.send(sku);
    }

    @Get('list')
    @UseInterceptors(...own)
    @Locked('{0}')
    list(@Param('sku') _sku: string): Observable<MessageEvent> {
      return this.#shelves();
    }

    @Get('relist')
    @UseInterceptors(...own)
    @Locked('{0}')
    async relist(@Param('sku') _sku: string): Promise<Observable<MessageEvent>> {
      return Promise.resolve(this.#shelves());
    }

    @Sse('count')
    @UseInterceptors(...own)
    @Locked('{0}')
    count(@Param('sku') _sku: string): Observable<MessageEvent> {
      return this.#shelves();
    }

    @Sse('recount')
    @UseInterceptors(...own)
    @Locked('{0}')
    async recount(@Param('sku') _sku: string): Promise<Observable<MessageEvent>> {
      return Promise.resolve(this.#shelves());
    }

    /** Emits nothing, and counts its subscribers. */
    #shelves(): Observable<MessageEvent> {
      return new Observable(() => {
        counts++;
        return () => counts--;
      });
    }
  }

  const listen = async (): Promise<string> => {
    picks = [];
    counts = 0;
    const cls = ClsModule.forRoot({ interceptor: { mount } });
    const url = await apps.listen(
      { imports: [apps.zkLock(), cls], controllers: [Stock] },
      adapter(),
    );
    return `${url}/stock`;
  };

  it(`leaves the queue when its client leaves, on ${platform}`, async () => {
    const url = await listen();
    await using lock = await (await apps.replica()).acquire('bolts');
    const client = new EventStream(`${url}/bolts/pick`);
    await apps.untilQueued(2);
    client.close();
    await apps.untilQueued(1);
    lock.assertHeld();
    expect(picks).toEqual([]);
  });

  it(`is answered if it is skipped, also with @Res(), on ${platform}`, async () => {
    const url = await listen();
    await using lock = await (await apps.replica()).acquire('bolts');
    expect(await (await fetch(`${url}/bolts/try`)).text()).toBe('');
    await lock.release();
    expect(await (await fetch(`${url}/bolts/try`)).text()).toBe('bolts');
  });

  it(`ends its Observable, also inside a promise, when its client leaves, which is no error, on ${platform}`, async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const url = await listen();
    const clients = ['list', 'relist', 'count', 'recount'].map(
      (path) => new EventStream(`${url}/${path}/${path}`),
    );
    await waitFor(() => counts === clients.length, { what: 'all Observables to be subscribed to' });
    await apps.untilQueued(clients.length);
    for (const client of clients) client.close();
    await apps.untilQueued(0);
    expect(counts).toBe(0);
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('an interceptor that collects the values of a handler', () => {
  let collected: unknown[];

  @Injectable()
  class Recording extends Collecting {
    override intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return super.intercept(context, next).pipe(tap((value) => collected.push(value)));
    }
  }

  @Controller('stock')
  class Stock {
    @Get('import')
    @UseInterceptors(Recording)
    @Locked('import')
    import(): Observable<string> {
      return NEVER.pipe(startWith('a part'));
    }

    @Get('skip')
    @UseInterceptors(Recording)
    @Locked('import', { onBusy: 'skip' })
    skip(): Observable<string | undefined> {
      return of('all');
    }
  }

  it('gets no part of them as the whole when the client leaves, and a value if it is skipped', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    collected = [];
    const url = await apps.listen({ imports: [apps.zkLock()], controllers: [Stock] });
    const client = new EventStream(`${url}/stock/import`);
    await apps.untilQueued(1);
    const skipped = await fetch(`${url}/stock/skip`);
    expect([skipped.status, await skipped.text()]).toEqual([200, '']);
    expect(collected).toEqual([undefined]);
    client.close();
    await apps.untilQueued(0);
    expect(await (await fetch(`${url}/stock/skip`)).text()).toBe('all');
    expect(collected).toEqual([undefined, 'all']);
    expect(logged).not.toHaveBeenCalled();
  });
});
