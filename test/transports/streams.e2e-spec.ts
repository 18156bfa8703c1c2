import { once } from 'node:events';
import { EventSource } from 'eventsource';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { openCaller } from './support/callers.js';
import { KEY, openWarehouse } from './support/open-warehouse.js';

const apps = useTestApps();

const COUNT = '/stock/bolts/count';

/** An EventSource as browsers have it, and the data of all events that came, by type. */
function listenTo(url: string): { source: EventSource; events: string[] } {
  // A connection that is kept alive holds up Node's HTTP server for five seconds.
  const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, { ...init, headers: { connection: 'close' } }),
  });
  onTestFinished(() => {
    source.close();
  });
  const events: string[] = [];
  for (const type of ['message', 'error']) {
    source.addEventListener(type, (event) => {
      if ('data' in event) events.push(`${type}: ${String(event.data)}`);
    });
  }
  return { source, events };
}

describe.each(PLATFORMS)('an EventSource that counts on %s', (_platform, adapter) => {
  it('keeps pickers out while it listens, and lets them in when it is closed', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    const { source, events } = listenTo(warehouse.url + COUNT);
    await waitFor(() => warehouse.shelves.observed, { what: 'the count to begin' });
    warehouse.shelves.next('shelf 1');
    await waitFor(() => events.length > 0, { what: 'an event' });
    expect(events).toEqual(['message: shelf 1']);
    const pick = (await openCaller('HTTP', warehouse)).pick({ sku: 'bolts' });
    await warehouse.untilQueued(2);
    expect(warehouse.gate.arrivals).toBe(0);
    source.close();
    warehouse.gate.open();
    expect(await pick).toMatchObject({ status: 201, body: { left: 99 } });
    expect(warehouse.shelves.observed).toBe(false);
  });

  it('is told by an error event that the lock is taken, and tries again by itself', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    await using lock = await (await apps.replica()).acquire(KEY);
    // A single try may be refused before Nest has sent the headers: that would be a status, and final.
    const { source, events } = listenTo(`${warehouse.url}${COUNT}?patienceMs=500`);
    await waitFor(() => events.length > 0, { what: 'an error event' });
    expect(events[0]).toBe('error: The resource is in use by another operation. Try again later.');
    await lock.release();
    await waitFor(() => warehouse.shelves.observed, { what: 'the count to begin' });
    source.close();
  });

  it('that is closed while it waits leaves the queue', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    await using lock = await (await apps.replica()).acquire(KEY);
    const { source } = listenTo(warehouse.url + COUNT);
    await warehouse.untilQueued(2);
    source.close();
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
