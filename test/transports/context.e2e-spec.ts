import { Controller, Get, Param, Post, Sse } from '@nestjs/common';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ClsService } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import { type Observable, of } from 'rxjs';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { PaperListener } from '../../apps/warehouse/src/paper.listener.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { type Transport, openCaller } from './support/callers.js';
import { KEY, openWarehouse } from './support/open-warehouse.js';

const apps = useTestApps();

describe.each(PLATFORMS)('nestjs-cls beside @Locked() on %s', (_platform, adapter) => {
  it.each(['rest', 'graphql'])(
    'gives each of several requests that wait its own store and lock, before and after an await: %s',
    async (by) => {
      const warehouse = await openWarehouse(apps, adapter());
      const pick = (id: string): request.Test =>
        (by === 'rest'
          ? request(warehouse.url).post('/stock/bolts/picks')
          : request(warehouse.url)
              .post('/graphql')
              .send({ query: 'mutation { pick(sku: "bolts") { left requestId } }' })
        ).set('x-request-id', id);
      const ids = ['a', 'b', 'c'];
      const answers: Promise<request.Response>[] = [];
      for (const id of ids) {
        answers.push(pick(id).then((answer) => answer));
        await warehouse.untilQueued(answers.length);
      }
      warehouse.gate.open();
      const texts = (await Promise.all(answers)).map(({ text }) => text);
      for (const [index, text] of texts.entries()) {
        expect(text).toContain(`"requestId":"${ids[index]!}"`);
      }
      expect(warehouse.trips).toEqual(ids.map((id) => [`${KEY}, ${id}`, `${KEY}, ${id}`]));
    },
  );

  it.each<Transport>(['WebSocket', 'TCP', 'worker'])(
    'gives each message and job a store of its own: %s',
    async (transport) => {
      const warehouse = await openWarehouse(apps, adapter());
      const callers = [
        await openCaller(transport, warehouse),
        await openCaller(transport, warehouse),
      ];
      const answers = callers.map((caller) => caller.pick({ sku: 'bolts' }));
      await warehouse.untilQueued(2);
      warehouse.gate.open();
      await Promise.all(answers);
      expect(warehouse.trips).toHaveLength(2);
      for (const [before, after] of warehouse.trips) {
        expect(before).toMatch(/^stock:bolts, \S+/);
        expect(after).toBe(before);
      }
      const distinct = new Set(warehouse.trips.map(([before]) => before)).size;
      expect(distinct).toBe(transport === 'worker' ? 1 : 2);
      expect(warehouse.get(ClsService).isActive()).toBe(false);
    },
  );
});

describe('@OnEvent() beside @Locked()', () => {
  it("runs under its own lock and in the emitter's store, with the decorators in either order", async () => {
    const warehouse = await openWarehouse(apps);
    warehouse.gate.open();
    const listener = warehouse.get(PaperListener);
    await request(warehouse.url).post('/stock/bolts/picks').set('x-request-id', 'a').expect(201);
    await waitFor(() => listener.printed.length === 2, { what: 'both listeners' });
    const byKey = [...listener.printed].sort((one, other) => one.key.localeCompare(other.key));
    expect(byKey).toEqual([
      { what: 'label', sku: 'bolts', key: 'label:bolts', requestId: 'a' },
      { what: 'reorder', sku: 'bolts', key: 'reorder:bolts', requestId: 'a' },
    ]);
  });
});

/** The same controller, with or without locks, above and below the other decorators. */
function controllerWith(lock: MethodDecorator) {
  @Controller('shows/:show')
  class Shows {
    @Get('seats')
    @ApiOkResponse({ type: [String], description: 'Free seats' })
    @lock
    async seats(@Param('show') show: string): Promise<string[]> {
      return [show];
    }

    @lock
    @Post('audit')
    @ApiOkResponse({ type: Number })
    async audit(@Param('show') show: string): Promise<number> {
      return show.length;
    }

    @lock
    @Sse('news')
    news(@Param('show') show: string): Observable<string> {
      return of(show);
    }
  }
  return Shows;
}

describe('an OpenAPI document', () => {
  it('is the same with @Locked() as without', async () => {
    const documentOf = async (lock: MethodDecorator): Promise<unknown> => {
      const app = await apps.start({
        imports: [apps.zkLock()],
        controllers: [controllerWith(lock)],
      });
      return SwaggerModule.createDocument(app, new DocumentBuilder().build());
    };
    const plain = await documentOf(() => undefined);
    expect(await documentOf(Locked('show:{0}') as MethodDecorator)).toEqual(plain);
    expect(plain).toHaveProperty(['paths', '/shows/{show}/seats', 'get', 'responses', '200']);
  });
});
