import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AppProcess, startApp } from '../support/app-process.js';
import { blocksIn } from '../support/documentation.js';
import { isListening } from '../support/is-listening.js';
import { leftOf } from '../support/left-of.js';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { findNewSessions } from '../support/new-sessions.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { readCurl } from './support/read-curl.js';

const startWarehouse = (env: Readonly<Record<string, string>> = {}): AppProcess =>
  startApp('warehouse/dist/main.js', { TCP_PORT: '0', ...env });

const urlOf = (warehouse: AppProcess): Promise<string> =>
  warehouse.said(/^Warehouse: (http:\S+) /m);

/** The calls that the page tells its readers to make, in order. */
function curlLines(): string[] {
  const page = new URL('../../docs/nest.md', import.meta.url);
  const lines = blocksIn(page).flatMap(({ language, code }) =>
    language === 'sh' ? code.trim().split('\n') : [],
  );
  return lines.filter((line) => line.startsWith('curl '));
}

/** Reads until the first shelf has been counted: the lock is held then. */
async function untilCounted(stream: ReadableStreamDefaultReader<string>): Promise<void> {
  let text = '';
  while (!text.includes('data: bolts, shelf 1\n')) {
    const { value, done } = await stream.read();
    if (done) throw new Error(`the count ended after: ${text}`);
    text += value;
  }
}

/** A port that is in use on all addresses. */
async function takePort(): Promise<number> {
  const server = createServer().listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function addressOf(warehouse: AppProcess, line: RegExp): Promise<[number, string]> {
  const [host = '', port] = (await warehouse.said(line)).split(':');
  return [Number(port), host];
}

describe('a warehouse process', () => {
  it('answers the documented calls, and ends on SIGTERM without leaving anything', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const ZK_CONNECT = sharedServer().connectString + root;
    // The other tests use Express.
    const warehouse = startWarehouse({ PLATFORM: 'fastify', ZK_CONNECT });
    const url = await urlOf(warehouse);
    const [first, count, during, graphql, stock, health] = curlLines().map((line) => {
      const { url: at, init } = readCurl(line, url);
      return (): Promise<Response> => fetch(at, init);
    });

    const picked = await first!();
    expect(picked.status).toBe(201);
    expect(await picked.json()).toMatchObject({ sku: 'bolts', left: 99 });
    const counting = await count!();
    const stream = counting.body!.pipeThrough(new TextDecoderStream()).getReader();
    await untilCounted(stream);
    const refused = await during!();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '1']);
    await stream.cancel();
    expect(await (await graphql!()).json()).toMatchObject({ data: { pick: { left: 98 } } });
    const shown: unknown = await (await stock!()).json();
    expect(shown).toEqual({ sku: 'bolts', left: 98, picking: 0, waiting: 0 });
    expect(await (await fetch(`${url}/api`)).json()).toHaveProperty('openapi');
    const board = await warehouse.said(/^Lock board: (\S+), /m);
    const password = await warehouse.said(/^Lock board: .* password (\S+)$/m);
    expect((await fetch(board)).status).toBe(401);
    const authorization = `Basic ${btoa(`operator:${password}`)}`;
    const overview = await fetch(`${board}/overview`, { headers: { authorization } });
    expect(await overview.json()).toMatchObject({
      may: { break: true },
      session: { state: 'connected' },
    });
    const answer = await health!();
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      details: { zookeeper: { status: 'up', state: 'connected' } },
    });

    warehouse.signal('SIGTERM');

    expect(await warehouse.outcome()).toEqual({ code: 0, signal: null });
    expect(warehouse.errors).toBe('');
    const lockNodes = async (): Promise<string[]> =>
      (await inspector.tree(root)).filter((path) => /__\w+__/.test(path));
    expect(await leftOf(lockNodes)).toEqual([]);
  });

  it('turns waiters away and ends streams when it is told to exit, and then stops its own ZooKeeper', async () => {
    // This client notices at once that a server has stopped.
    const warehouse = startWarehouse({ ZK_LOCKS_CLIENT: 'wire' });
    const url = await urlOf(warehouse);
    const zookeeper = await addressOf(warehouse, /^ZooKeeper: (\S+)/m);
    const request = { headers: { connection: 'close' } };
    const counting = await fetch(`${url}/stock/bolts/count`, request);
    const stream = counting.body!.pipeThrough(new TextDecoderStream()).getReader();
    await untilCounted(stream);
    // A separate process holds the lock: a waiter behind the stream could be served when the stream
    // ends.
    const [port, host] = zookeeper;
    const elsewhere = await openLocks({ servers: `${host}:${port}`, client: 'wire' });
    await elsewhere.acquire('stock:nuts');
    const waiting = fetch(`${url}/stock/nuts/picks`, { ...request, method: 'POST' });
    const isWaiting = async (): Promise<boolean> => {
      const stock: unknown = await (await fetch(`${url}/stock/nuts`, request)).json();
      return (stock as { waiting: number }).waiting === 1;
    };
    await waitFor(isWaiting, { what: 'a pick that waits' });

    warehouse.signal('SIGTERM');

    expect((await waiting).status).toBe(503);
    while (!(await stream.read()).done);
    expect(await warehouse.outcome()).toEqual({ code: 0, signal: null });
    // A session that had lost its server would have logged that.
    expect(warehouse.stdout + warehouse.errors).not.toMatch(/WARN|ERROR/);
    expect(await isListening(...zookeeper)).toBe(false);
  });

  it('says in one line that a port is in use, and ends its session', async () => {
    const port = await takePort();
    const ZK_CONNECT = sharedServer().connectString + ownRoot();
    const newSessions = await findNewSessions();
    const warehouse = startWarehouse({ ZK_CONNECT, PORT: String(port) });

    expect(await warehouse.outcome()).toEqual({ code: 1, signal: null });
    expect(warehouse.stdout).toBe('');
    expect(warehouse.errors).toBe(
      `Port ${port} is in use. Set PORT and TCP_PORT to others, or to 0 for any that are free.\n`,
    );
    expect(await leftOf(newSessions)).toEqual([]);
  });
});
