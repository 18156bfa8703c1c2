import {
  Controller,
  Get,
  HttpCode,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Redirect,
  Res,
  Scope,
} from '@nestjs/common';
import { WithPermit } from 'nestjs-zk-lock';
import { defer, Observable, of } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { DECORATORS, type Decorator, WAITING } from './support/decorators.js';
import { PLATFORMS } from './support/platforms.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let runs: string[];
beforeEach(() => (runs = []));

/** Another library's decorator, whose wrapper has a different name. */
const Traced = (): MethodDecorator => (_target, _key, descriptor) => {
  const method = descriptor.value as (...args: unknown[]) => unknown;
  function traced(this: unknown, ...args: unknown[]): unknown {
    return Reflect.apply(method, this, args);
  }
  descriptor.value = traced as never;
};

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
    message: 'Another instance of the service has to handle this. Try again.',
    error: 'Service Unavailable',
    code: 'NOT_LEADER',
  } as { readonly statusCode: number },
};

/** An application whose handlers need the projector. */
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
    return { url: await app.getUrl(), free: () => ready(app, 'projector') };
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
      `answers with Retry-After and without internals when it is busy: ${name} %s @Post()`,
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
        const answer = await post(`${url}/films/alien/${path}`);
        expect(answer.status).toBe(201);
        expect(await answer.json()).toEqual({ film: 'alien', key: 'projector' });
      },
    );

    it('may belong to a request-scoped controller, and keeps its pipes and its status', async () => {
      const { url, free } = await listen();
      await free();
      for (const id of [1, 2]) {
        const answer = await fetch(`${url}/visits/${id}`);
        expect(answer.status).toBe(202);
        expect(await answer.json()).toEqual({ id, key: 'projector', count: 1 });
      }
      expect((await fetch(`${url}/visits/first`)).status).toBe(400);
    });
  },
);

describe.each(onEachPlatform(WAITING))(
  '%s: a handler on %s',
  (_name, _platform, decorator, adapter) => {
    const listen = useCinema(decorator, adapter);

    it('requests no lock if its pipes refuse the arguments', async () => {
      const { url } = await listen();
      expect((await post(`${url}/films/alien/above?timeoutMs=soon`)).status).toBe(400);
      expect((await fetch(`${url}/visits/first`)).status).toBe(400);
      expect(await apps.hasRoot()).toBe(false);
    });

    it.each(['promise', 'stream', 'below-another', 'response', 'streamed-response', 'wrapped'])(
      'is answered without a body if it is skipped: %s',
      async (path) => {
        @Controller('jobs')
        class Jobs {
          @Get('promise')
          @decorator.decorate('projector', { instead: 'skip' })
          async promise(): Promise<string | undefined> {
            return Promise.resolve('done');
          }

          @Get('stream')
          @decorator.decorate('projector', { instead: 'skip' })
          stream(): Observable<string> {
            return of('done');
          }

          @Get('below-another')
          @WithPermit('seats', { permits: 1 })
          @decorator.decorate('projector', { instead: 'skip' })
          belowAnother(): Observable<string> {
            return of('done');
          }

          @Get('response')
          @decorator.decorate('projector', { instead: 'skip' })
          async response(@Res() response: { send: (body: string) => unknown }): Promise<void> {
            await response.send('done');
          }

          @Get('streamed-response')
          @decorator.decorate('projector', { instead: 'skip' })
          streamed(@Res() response: { send: (body: string) => unknown }): Observable<unknown> {
            return defer(async () => response.send('done'));
          }

          @Get('wrapped')
          @decorator.decorate('projector', { instead: 'skip' })
          @Traced()
          async wrapped(@Res() response: { send: (body: string) => unknown }): Promise<void> {
            await response.send('done');
          }
        }
        await using _inTheWay = await decorator.occupy(await apps.replica(), 'projector');
        const url = await apps.listen({ imports: [apps.zkLock()], controllers: [Jobs] }, adapter());
        const answer = await fetch(`${url}/jobs/${path}`);
        expect([answer.status, await answer.text()]).toEqual([200, '']);
      },
    );

    it('is redirected by Nest when it is skipped, also with @Res()', async () => {
      @Controller('jobs')
      class Jobs {
        @Get()
        @Redirect('/elsewhere')
        @decorator.decorate('projector', { instead: 'skip' })
        async run(@Res() _response: unknown): Promise<void> {}
      }
      await using _inTheWay = await decorator.occupy(await apps.replica(), 'projector');
      const url = await apps.listen({ imports: [apps.zkLock()], controllers: [Jobs] }, adapter());
      const answer = await fetch(`${url}/jobs`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/elsewhere']);
    });
  },
);
