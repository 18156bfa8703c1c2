import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ClientProxy } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { PickOrder } from '../../../apps/warehouse/src/pick-order.js';
import { PickProcessor } from '../../../apps/warehouse/src/pick.processor.js';
import type { Warehouse } from './open-warehouse.js';

/** One caller of the warehouse, on a connection of its own. */
export interface Caller {
  /** Asks for an article, and gives what came back for it, also when that is an error. */
  pick(order: PickOrder): Promise<unknown>;
  /** Goes away, whatever it has asked for. */
  leave(): void;
}

export type Transport = 'HTTP' | 'GraphQL' | 'WebSocket' | 'TCP' | 'worker';

export async function openCaller(transport: Transport, warehouse: Warehouse): Promise<Caller> {
  switch (transport) {
    case 'HTTP':
      return httpCaller(warehouse, ({ sku, patienceMs }) => [
        `/stock/${sku}/picks${patienceMs === undefined ? '' : `?patienceMs=${patienceMs}`}`,
        undefined,
      ]);
    case 'GraphQL':
      return httpCaller(warehouse, (variables) => ['/graphql', { query: PICK, variables }]);
    case 'WebSocket':
      return openSocket(warehouse.url);
    case 'TCP':
      return tcpCaller(warehouse.connect());
    case 'worker':
      return worker(warehouse);
  }
}

const PICK = `mutation ($sku: String!, $patienceMs: Int) {
  pick(sku: $sku, patienceMs: $patienceMs) { sku left fencingToken requestId }
}`;

/** By `http.request`: `fetch` connects anew for a call that was aborted, which holds up the server's end. */
function httpCaller(
  { url }: Warehouse,
  requestOf: (order: PickOrder) => [path: string, body: unknown],
): Caller {
  const gone = new AbortController();
  return {
    async pick(order) {
      const [path, body] = requestOf(order);
      const headers = { 'content-type': 'application/json' };
      const options = { method: 'POST', agent: false, headers, signal: gone.signal };
      const asked = request(url + path, options).end(JSON.stringify(body ?? {}));
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      const { statusCode: status, headers: answered } = response;
      return { status, retryAfter: answered['retry-after'], body: await json(response) };
    },
    leave: () => {
      gone.abort();
    },
  };
}

async function openSocket(url: string): Promise<Caller> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  onTestFinished(() => {
    socket.terminate();
  });
  await once(socket, 'open');
  return {
    async pick(data) {
      const answer = once(socket, 'message') as Promise<[Buffer]>;
      socket.send(JSON.stringify({ event: 'pick', data }));
      const [text] = await answer;
      return JSON.parse(String(text)) as unknown;
    },
    leave: () => {
      socket.terminate();
    },
  };
}

function tcpCaller(client: ClientProxy): Caller {
  return {
    pick: (order) =>
      firstValueFrom(client.send<unknown>('pick', order)).catch((error: unknown) => error),
    leave: () => void client.close(),
  };
}

/** What a BullMQ worker does with a job: it calls the processor, and keeps what that throws. */
function worker(warehouse: Warehouse): Caller {
  const processor = warehouse.get(PickProcessor);
  return {
    pick: (data) =>
      processor.process({ id: '7', name: 'pick', data }).catch((error: unknown) => error),
    leave: () => undefined,
  };
}
