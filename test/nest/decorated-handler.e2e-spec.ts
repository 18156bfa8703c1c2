import { Controller, Get, HttpCode, Param, ParseIntPipe, Post, Query, Scope } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { DECORATORS, type Decorator, WAITING } from './support/decorators.js';
import { useGate } from './support/gate.js';
import { openRequest } from './support/open-request.js';
import { PLATFORMS } from './support/platforms.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

const gate = useGate();
let runs: string[];
/** Aborts when what the handler holds is lost. */
let signal: AbortSignal;
beforeEach(() => (runs = []));

const entered = () => waitFor(() => gate.arrivals === 1, { what: 'the handler to run' });

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST' });

const IN_USE = {
  statusCode: 423,
  message: 'The resource is in use by another operation. Try again later.',
  error: 'Locked',
  code: 'LOCK_TIMEOUT',
};

const REFUSALS: Record<Decorator['name'], { readonly statusCode: number }> = {
  '@Locked': IN_USE,
  '@WithPermit': IN_USE,
  '@OnlyLeader': {
    statusCode: 503,
    message: 'Another instance of the service does this. Try again.',
    error: 'Service Unavailable',
    code: 'NOT_LEADER',
  } as { readonly statusCode: number },
};

/** An application whose handlers ask for the projector. */
function useCinema({ decorate, current, ready }: Decorator, adapter: (typeof PLATFORMS)[0][1]) {
  const options = { timeoutMs: (_film: string, ms?: number) => ms };

  @Controller('films/:film')
  class Films {
    @decorate('projector', options)
    @Post('above')
    async above(
      @Param('film') film: string,
      @Query('timeoutMs', new ParseIntPipe({ optional: true })) _ms?: number,
    ): Promise<object> {
      return this.#show(film);
    }

    @Post('below')
    @decorate('projector', options)
    async below(
      @Param('film') film: string,
      @Query('timeoutMs', new ParseIntPipe({ optional: true })) _ms?: number,
    ): Promise<object> {
      return this.#show(film);
    }

    async #show(film: string): Promise<object> {
      runs.push(film);
      ({ signal } = current());
      await gate.pass();
      return { film, key: current().key };
    }
  }

  @Controller({ path: 'visits', scope: Scope.REQUEST })
  class Visits {
    private count = 0;

    @Get(':id')
    @HttpCode(202)
    @decorate('projector')
    async visit(@Param('id', ParseIntPipe) id: number): Promise<object> {
      return Promise.resolve({ id, key: current().key, count: ++this.count });
    }
  }

  return async () => {
    const app = await apps.start(
      { imports: [apps.zkLock()], controllers: [Films, Visits] },
      adapter(),
    );
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    return { url, locks: app.get(LockService), free: () => ready(app, 'projector') };
  };
}

const onEachPlatform = (decorators: typeof DECORATORS) =>
  PLATFORMS.flatMap(([platform, adapter]) =>
    decorators.map(([name, decorator]) => [name, platform, decorator, adapter] as const),
  );

describe.each(onEachPlatform(DECORATORS))(
  '%s: a handler on %s',
  (name, _platform, decorator, adapter) => {
    const listen = useCinema(decorator, adapter);

    it.each(['above', 'below'])(
      `answers with Retry-After, and no more than the caller may know, when it is busy: ${name} %s @Post()`,
      async (path) => {
        const inTheWay = await decorator.occupy(await apps.replica(), 'projector');
        const { url, free } = await listen();
        const refused = await post(`${url}/films/alien/${path}?timeoutMs=0`);
        const refusal = REFUSALS[decorator.name];
        expect(refused.status).toBe(refusal.statusCode);
        expect(refused.headers.get('retry-after')).toBe('1');
        expect(await refused.json()).toEqual(refusal);
        expect(runs).toEqual([]);
        await inTheWay[Symbol.asyncDispose]();
        await free();
        gate.open();
        const answer = await post(`${url}/films/alien/${path}`);
        expect(answer.status).toBe(201);
        expect(await answer.json()).toEqual({ film: 'alien', key: 'projector' });
      },
    );

    it('may belong to a controller of the request, and keeps its pipes and its status', async () => {
      const { url, free } = await listen();
      await free();
      for (const id of [1, 2]) {
        const answer = await fetch(`${url}/visits/${id}`);
        expect(answer.status).toBe(202);
        expect(await answer.json()).toEqual({ id, key: 'projector', count: 1 });
      }
      expect((await fetch(`${url}/visits/first`)).status).toBe(400);
    });

    it('answers 503 when what it held was lost while it ran', async () => {
      const { url, free } = await listen();
      await free();
      const running = post(`${url}/films/alien/above`);
      await entered();
      await apps.deleteLockNodes('projector');
      await waitFor(() => signal.aborted, { what: 'the loss' });
      gate.open();
      const response = await running;
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ statusCode: 503, code: 'LOCK_LOST' });
    });
  },
);

describe.each(onEachPlatform(WAITING))(
  '%s: a handler on %s',
  (_name, _platform, decorator, adapter) => {
    const listen = useCinema(decorator, adapter);

    it('asks for nothing where its pipes refuse the arguments', async () => {
      const { url } = await listen();
      expect((await post(`${url}/films/alien/above?timeoutMs=soon`)).status).toBe(400);
      expect((await fetch(`${url}/visits/first`)).status).toBe(400);
      expect(await apps.hasRoot()).toBe(false);
    });

    it('stops waiting when the client goes away, leaves nothing and does not run', async () => {
      const replica = await apps.replica();
      await using _inTheWay = await decorator.occupy(replica, 'projector');
      const { url, locks } = await listen();
      const client = openRequest(`${url}/films/alien/above`);
      await waitFor(() => locks.counts.waiting === 1, { what: 'the handler to wait' });
      client.hangUp();
      await waitFor(() => locks.counts.waiting === 0, { what: 'the wait to end' });
      await apps.untilQueued(1);
      expect(replica.counts.held).toBe(1);
      expect(runs).toEqual([]);
    });
  },
);
