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

/** A caller of the warehouse with its own connection. */
export interface Caller {
  /** Requests an article, and returns the answer, which may be an error. */
  pick(order: PickOrder): Promise<unknown>;
  /** Disconnects without waiting for an answer. */
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

/** Not `fetch`, which reconnects after an aborted call and so delays the server's shutdown. */
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

/** Acts like a BullMQ worker with a job: calls the processor, and records errors. */
function worker(warehouse: Warehouse): Caller {
  const processor = warehouse.get(PickProcessor);
  return {
    pick: (data) =>
      processor.process({ id: '7', name: 'pick', data }).catch((error: unknown) => error),
    leave: () => undefined,
  };
}
