import type { IncomingMessage, Server } from 'node:http';
import {
  Controller,
  type ExecutionContext,
  type MessageEvent,
  Param,
  Post,
  Sse,
} from '@nestjs/common';
import { EventSource } from 'eventsource';
import { ClsModule, ClsService } from 'nestjs-cls';
import { Locked, currentLock } from 'nestjs-zk-lock';
import { type Observable, finalize, interval, map } from 'rxjs';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../nest/support/event-stream.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { PLATFORMS } from '../nest/support/platforms.js';

const apps = useTestApps();

@Controller('stock/:sku')
class Counts {
  ended = 0;

  constructor(private readonly cls: ClsService) {}

  @Sse('count')
  @Locked('stock:{0}', { timeoutMs: 3_000 })
  count(@Param('sku') _sku: string): Observable<MessageEvent> {
    return this.#shelves();
  }

  @Sse('recount')
  @Locked('stock:{0}', { timeoutMs: 3_000 })
  async recount(@Param('sku') _sku: string): Promise<Observable<MessageEvent>> {
    return Promise.resolve(this.#shelves());
  }

  @Post('picks')
  @Locked('stock:{0}', { timeoutMs: 0 })
  async pick(@Param('sku') _sku: string): Promise<void> {}

  /** Emits, at each shelf, which lock is held and whose request it is. */
  #shelves(): Observable<MessageEvent> {
    const here = (): string => `${currentLock().key}, ${this.cls.getId()}`;
    const before = here();
    return interval(20).pipe(
      map(() => ({ data: `${before}; ${here()}` })),
      finalize(() => this.ended++),
    );
  }
}

function listenTo(url: string, requestId: string): { source: EventSource; events: string[] } {
  const headers = { 'x-request-id': requestId, connection: 'close' };
  const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, { ...init, headers }),
  });
  onTestFinished(() => {
    source.close();
  });
  const events: string[] = [];
  source.addEventListener('message', ({ data }) => events.push(String(data)));
  return { source, events };
}

describe.each(PLATFORMS)('a stream behind the ClsInterceptor on %s', (_platform, adapter) => {
  it.each(['count', 'recount'])(
    'has its lock and its store at each event, refuses others in an error event, and releases the lock when its client leaves: %s',
    async (path) => {
      const idGenerator = (context: ExecutionContext): string =>
        context.switchToHttp().getRequest<IncomingMessage>().headers['x-request-id'] as string;
      const cls = ClsModule.forRoot({
        interceptor: { mount: true, generateId: true, idGenerator },
      });
      const app = await apps.build(
        { imports: [apps.zkLock(), cls], controllers: [Counts] },
        adapter(),
      );
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      const { source, events } = listenTo(`${url}/stock/bolts/${path}`, 'a');
      await waitFor(() => events.length > 2, { what: 'some events' });
      expect(new Set(events)).toEqual(new Set(['stock:bolts, a; stock:bolts, a']));
      expect(await apps.lockNodes()).toHaveLength(1);
      await request(url).post('/stock/bolts/picks').expect(423);
      const refused = new EventStream(`${url}/stock/bolts/${path}`);
      await refused.until('event: error');
      expect(refused.text).toContain('data: The resource is in use by another operation.');
      await refused.ended();
      source.close();
      await apps.untilQueued(0);
      expect(app.get(Counts).ended).toBe(1);
      await request(url).post('/stock/bolts/picks').expect(201);
      // `fetch` opens another connection after an aborted call, and keeps it for 4 s.
      (app.getHttpServer() as Server).closeAllConnections();
    },
  );
});
