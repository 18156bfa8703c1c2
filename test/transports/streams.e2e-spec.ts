import { once } from 'node:events';
import { request } from 'node:http';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Controller, Logger } from '@nestjs/common';
import { GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { MessagePattern } from '@nestjs/microservices';
import { Locked } from 'nestjs-zk-lock';
import { Observable, Subject } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { addTransports } from '../../apps/warehouse/src/add-transports.js';
import { EventStream } from '../nest/support/event-stream.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { connect, KEY, openWarehouse } from './support/open-warehouse.js';

const apps = useTestApps();

describe.each(PLATFORMS)('an event stream on %s', (_platform, adapter) => {
  it('that is closed while it waits leaves the queue', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    await using lock = await (await apps.replica()).acquire(KEY);
    const stream = new EventStream(`${warehouse.url}/stock/bolts/count`);
    await warehouse.untilQueued(2);
    stream.close();
    await warehouse.untilQueued(1);
    lock.assertHeld();
    expect(warehouse.shelves.observed).toBe(false);
  });
});

describe('a stream by WebSocket', () => {
  it('ends, and releases its lock, when its client leaves', async () => {
    const warehouse = await openWarehouse(apps);
    const socket = new WebSocket(warehouse.url.replace('http', 'ws'));
    await once(socket, 'open');
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(JSON.stringify({ event: 'count', data: { sku: 'bolts' } }));
    await waitFor(() => warehouse.shelves.observed, { what: 'the count to begin' });
    warehouse.shelves.next('shelf 1');
    const [text] = await answer;
    expect(JSON.parse(String(text))).toEqual({ event: 'counted', data: 'shelf 1' });
    socket.terminate();
    await warehouse.untilQueued(0);
    expect(warehouse.shelves.observed).toBe(false);
  });
});

describe('a stream by TCP', () => {
  it('ends, and releases its lock, when its caller closes the connection', async () => {
    const warehouse = await openWarehouse(apps);
    const client = warehouse.connect();
    const seen: unknown[] = [];
    client.send('count', { sku: 'bolts' }).subscribe({
      next: (shelf) => seen.push(shelf),
      error: () => undefined,
    });
    await waitFor(() => warehouse.shelves.observed, { what: 'the count to begin' });
    warehouse.shelves.next('shelf 1');
    await waitFor(() => seen.length > 0, { what: 'a shelf' });
    await client.close();
    await warehouse.untilQueued(0);
    expect(seen).toEqual(['shelf 1']);
    expect(warehouse.shelves.observed).toBe(false);
  });

  it('inside a promise ends when its caller closes the connection, even before its first value', async () => {
    const shelves = new Subject<string>();

    @Controller()
    class Counts {
      @MessagePattern('count')
      @Locked('stock')
      async count(): Promise<Observable<string>> {
        return Promise.resolve(shelves);
      }
    }
    const app = await apps.build({ imports: [apps.zkLock()], controllers: [Counts] });
    const client = connect(await addTransports(app, 0));
    client.send('count', {}).subscribe({ error: () => undefined });
    await waitFor(() => shelves.observed, { what: 'the count to begin' });
    await client.close();
    await apps.untilQueued(0);
    expect(shelves.observed).toBe(false);
  });
});

describe('a stream by GraphQL', () => {
  it('ends, releases its lock, and is no error, when its client leaves before its first value', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const shelves = new Subject<string>();

    @Resolver()
    class Counts {
      @Query(() => String)
      @Locked('stock')
      count(): Observable<string> {
        return shelves;
      }
    }
    const graphql = GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      stopOnApplicationShutdown: true,
    });
    const url = await apps.listen({ imports: [apps.zkLock(), graphql], providers: [Counts] });
    const headers = { 'content-type': 'application/json' };
    const asked = request(`${url}/graphql`, { method: 'POST', agent: false, headers });
    asked.on('error', () => undefined).end(JSON.stringify({ query: '{ count }' }));
    await waitFor(() => shelves.observed, { what: 'the count to begin' });
    asked.destroy();
    await apps.untilQueued(0);
    expect(shelves.observed).toBe(false);
    expect(logged).not.toHaveBeenCalled();
  });
});
