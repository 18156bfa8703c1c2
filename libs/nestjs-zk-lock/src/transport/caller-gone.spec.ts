import { EventEmitter, once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { onClientGone } from './caller-gone.js';

interface Exchange {
  readonly response: ServerResponse;
  /** Makes the client leave. */
  readonly leave: () => void;
}

async function exchange(server: Server, ask: (port: number) => () => void): Promise<Exchange> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = once(server as EventEmitter, 'request') as Promise<[unknown, ServerResponse]>;
  const leave = ask((server.address() as AddressInfo).port);
  const [, response] = await asked;
  return { response, leave };
}

const overHttp1 = (): Promise<Exchange> =>
  exchange(createServer(), (port) => {
    const request = get({ port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined).on('response', (answer) => answer.resume());
    return () => void request.destroy();
  });

const overHttp2 = (): Promise<Exchange> =>
  exchange(createHttp2Server(), (port) => {
    const client = connect(`http://127.0.0.1:${port}`);
    onTestFinished(() => client.destroy());
    const request = client.request();
    request.on('error', () => undefined).resume();
    return () => void request.destroy();
  });

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('a client of %s', (_name, open) => {
  it('is gone if it leaves before it was answered', async () => {
    const { response, leave } = await open();
    const listener = vi.fn();
    onClientGone(response, listener);
    leave();
    await once(response, 'close');
    expect(listener).toHaveBeenCalledOnce();
    const late = vi.fn();
    onClientGone(response, late);
    expect(late).toHaveBeenCalledOnce();
  });

  it('is not gone if it was answered', async () => {
    const { response } = await open();
    const listener = vi.fn();
    onClientGone(response, listener);
    response.end('answer');
    await once(response, 'close');
    expect(listener).not.toHaveBeenCalled();
  });
});

it.each([undefined, null, 'text', {}, { raw: undefined }])(
  'a handler that is called without a response has no client that can leave: %j',
  (response) => {
    const listener = vi.fn();
    onClientGone(response, listener)();
    expect(listener).not.toHaveBeenCalled();
  },
);
