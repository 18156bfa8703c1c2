import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EventStream } from '../nest/support/event-stream.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
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
});
