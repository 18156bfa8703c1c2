import { Controller, Get, Param, ParseIntPipe, Post, Query, Scope, Sse } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { CurrentLock, type Lock, Locked, WithPermit, currentPermit } from 'nestjs-zk-lock';
import { NEVER, Observable, Subject, concat, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { EventStream } from './support/event-stream.js';
import { Gate } from './support/gate.js';
import { openRequest } from './support/open-request.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let gate: Gate;
let runs: string[];
let source: Subject<string>;
beforeEach(() => {
  gate = new Gate();
  runs = [];
  source = new Subject();
});
afterEach(() => {
  gate.open();
});

@Controller('films/:film')
class Films {
  @Post('above')
  @WithPermit('gpu', { permits: 1, timeoutMs: (_film: string, ms?: number) => ms })
  async below(
    @Param('film') film: string,
    @Query('timeoutMs', new ParseIntPipe({ optional: true })) _ms?: number,
  ): Promise<object> {
    runs.push(film);
    await gate.pass();
    return { film, permit: currentPermit().key };
  }

  @WithPermit('gpu', { permits: 1, timeoutMs: (_film: string, ms?: number) => ms })
  @Post('below')
  async above(
    @Param('film') film: string,
    @Query('timeoutMs', new ParseIntPipe({ optional: true })) ms?: number,
  ): Promise<object> {
    return this.below(film, ms).catch((error: unknown) => ({ nested: (error as Error).name }));
  }

  @Get('lock-first')
  @Locked('film:{0}')
  @WithPermit('gpu', { permits: 1 })
  async lockFirst(@Param('film') _film: string, @CurrentLock() lock: Lock): Promise<object> {
    lock.assertHeld();
    return [lock.key, currentPermit().key];
  }

  @Get('permit-first')
  @WithPermit('gpu', { permits: 1 })
  @Locked('film:{0}')
  async permitFirst(@Param('film') _film: string, @CurrentLock() lock: Lock): Promise<object> {
    lock.assertHeld();
    return [lock.key, currentPermit().key];
  }

  @Get('lockless')
  @WithPermit('gpu', { permits: 1 })
  async lockless(@CurrentLock() _lock: Lock): Promise<void> {
    runs.push('lockless');
  }

  @Sse('declared')
  @WithPermit('gpu', { permits: 1, timeoutMs: 1_000 })
  declared(): Observable<string> {
    return this.#events();
  }

  @WithPermit('gpu', { permits: 1, timeoutMs: 1_000 })
  @Sse('promised')
  async promised(): Promise<Observable<string>> {
    return Promise.resolve(this.#events());
  }

  #events(): Observable<string> {
    return concat(of(currentPermit().key), source, NEVER);
  }
}

@Controller({ path: 'visits', scope: Scope.REQUEST })
class Visits {
  private count = 0;

  @Get(':id')
  @WithPermit('visit:{0}', { permits: 1 })
  async visit(@Param('id') id: string): Promise<object> {
    return Promise.resolve({ id, key: currentPermit().key, count: ++this.count });
  }
}

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST' });

describe.each([
  ['Express', () => undefined],
  ['Fastify', () => new FastifyAdapter()],
])('a @WithPermit() handler on %s', (_platform, adapter) => {
  const listen = () =>
    apps.listen({ imports: [apps.zkLock()], controllers: [Films, Visits] }, adapter());

  const gpus = async () => (await apps.replica()).semaphore('gpu', { permits: 1 });

  it('answers 423 with Retry-After when no permit is free', async () => {
    const url = await listen();
    const running = post(`${url}/films/alien/above`);
    await waitFor(() => gate.arrivals === 1, { what: 'one to be inside' });
    for (const path of ['above', 'below']) {
      const refused = await post(`${url}/films/brazil/${path}?timeoutMs=0`);
      expect(refused.status).toBe(423);
      expect(refused.headers.get('retry-after')).toBe('1');
      const body = await refused.text();
      expect(JSON.parse(body)).toMatchObject({ statusCode: 423, code: 'LOCK_TIMEOUT' });
      expect(body).not.toContain('gpu');
    }
    gate.open();
    expect(await (await running).json()).toEqual({ film: 'alien', permit: 'gpu' });
    expect(runs).toEqual(['alien']);
  });

  it('takes a permit of its own where it calls another one', async () => {
    const url = await listen();
    const answer = await post(`${url}/films/alien/below?timeoutMs=1000`);
    expect(await answer.json()).toEqual({ nested: 'LockTimeoutError' });
  });

  it('takes no permit for what its pipes refuse', async () => {
    const url = await listen();
    expect((await post(`${url}/films/alien/above?timeoutMs=soon`)).status).toBe(400);
    expect(await apps.hasRoot()).toBe(false);
  });

  it('stops waiting when the client goes away, leaves nothing and does not run', async () => {
    const url = await listen();
    const semaphore = await gpus();
    await using permit = await semaphore.acquire();
    const client = openRequest(`${url}/films/alien/above`);
    await waitFor(async () => (await semaphore.inspect()).waiters.length === 1, {
      what: 'the waiter',
    });
    client.hangUp();
    await apps.untilQueued(1);
    permit.assertHeld();
    expect((await semaphore.inspect()).waiters).toEqual([]);
    expect(runs).toEqual([]);
  });

  it('answers 503 when its permit was lost while it ran', async () => {
    const url = await listen();
    const running = post(`${url}/films/alien/above`);
    await waitFor(() => gate.arrivals === 1, { what: 'one to be inside' });
    await apps.deleteLockNodes('gpu');
    gate.open();
    const response = await running;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ statusCode: 503, code: 'LOCK_LOST' });
  });

  it('may belong to a controller of the request', async () => {
    const url = await listen();
    for (const id of ['a', 'b']) {
      const response = await fetch(`${url}/visits/${id}`);
      expect(await response.json()).toEqual({ id, key: `visit:${id}`, count: 1 });
    }
  });

  it.each(['lock-first', 'permit-first'])(
    'gets its lock as an argument beside @Locked(): %s',
    async (path) => {
      const url = await listen();
      const response = await fetch(`${url}/films/alien/${path}`);
      expect(await response.json()).toEqual(['film:alien', 'gpu']);
    },
  );

  it('gets no lock as an argument without @Locked()', async () => {
    const url = await listen();
    expect((await fetch(`${url}/films/alien/lockless`)).status).toBe(500);
    expect(runs).toEqual([]);
  });

  it.each(['declared', 'promised'])(
    'holds its permit while the client listens: %s',
    async (path) => {
      const url = await listen();
      const stream = new EventStream(`${url}/films/alien/${path}`);
      await stream.until('data: gpu');
      source.next('news');
      await stream.until('data: news');
      expect((await (await gpus()).inspect()).holders).toHaveLength(1);
      const refused = new EventStream(`${url}/films/alien/${path}`);
      await refused.until('event: error');
      expect(refused.text).toContain('data: The resource is in use by another operation.');
      await refused.ended();
      stream.close();
      await apps.untilQueued(0);
      expect(source.observed).toBe(false);
    },
  );
});
