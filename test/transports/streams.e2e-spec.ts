import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EventStream } from '../nest/support/event-stream.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { openCaller } from './support/callers.js';
import { KEY, openWarehouse } from './support/open-warehouse.js';

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
  it('ends, and lets go of its lock, when its client goes away', async () => {
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
  it('ends, and lets go of its lock, when its caller closes the connection', async () => {
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

  it('goes on when its caller unsubscribes, of which TCP says nothing', async () => {
    const warehouse = await openWarehouse(apps);
    const subscription = warehouse.connect().send('count', { sku: 'bolts' }).subscribe();
    await waitFor(() => warehouse.shelves.observed, { what: 'the count to begin' });
    subscription.unsubscribe();
    const pick = (await openCaller('TCP', warehouse)).pick({ sku: 'bolts' });
    await warehouse.untilQueued(2);
    expect(warehouse.shelves.observed).toBe(true);
    warehouse.shelves.complete();
    warehouse.gate.open();
    expect(await pick).toMatchObject({ left: 99 });
  });
});

describe('an event by TCP', () => {
  it('is handled also when its sender has left while it waited', async () => {
    const warehouse = await openWarehouse(apps);
    const lock = await (await apps.replica()).acquire(KEY);
    const client = warehouse.connect();
    await client.connect();
    client.emit('picked-elsewhere', { sku: 'bolts' });
    await warehouse.untilQueued(2);
    await client.close();
    // Comes after what the server hears of the connection's end, since it comes from there too.
    const other = (await openCaller('TCP', warehouse)).pick({ sku: 'bolts' });
    await warehouse.untilQueued(3);
    warehouse.gate.open();
    await lock.release();
    expect(await other).toMatchObject({ left: 98 });
  });
});
