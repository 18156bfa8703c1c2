import { createRequire } from 'node:module';
import { once } from 'node:events';
import type { EventEmitter } from 'node:events';
import { WsAdapter } from '@nestjs/platform-ws';
import {
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import { Locked, OnlyLeader, currentLock } from 'nestjs-zk-lock';
import { afterEach, describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

interface Socket extends EventEmitter {
  send(text: string): void;
  close(): void;
}

/** The client that comes with Nest's adapter; it has no types of its own. */
const { WebSocket } = createRequire(import.meta.resolve('@nestjs/platform-ws'))('ws') as {
  WebSocket: new (url: string) => Socket;
};

const apps = useTestApps();

/** Nest 11 emits exceptions on the client, where `ws` sends nothing; Nest 12 sends them itself. */
class Gateway implements OnGatewayConnection<Socket> {
  handleConnection(client: Socket): void {
    client.on('exception', (data: object) =>
      client.send(JSON.stringify({ event: 'exception', data })),
    );
  }
}

@WebSocketGateway()
class Seats extends Gateway {
  @SubscribeMessage('hold')
  @Locked('seat:{0.seat}', { timeoutMs: 0 })
  async hold(@MessageBody() body: { seat: number }): Promise<object> {
    return Promise.resolve({ event: 'held', data: `${currentLock().key} ${body.seat}` });
  }
}

@WebSocketGateway()
class Draws extends Gateway {
  @SubscribeMessage('draw')
  @OnlyLeader('draw')
  async draw(): Promise<object> {
    return Promise.resolve({ event: 'drawn', data: currentLock().key });
  }
}

describe('a @Locked() gateway method', () => {
  let socket: Socket | undefined;
  afterEach(() => socket?.close());

  async function ask(url: string, event: string, data: unknown): Promise<unknown> {
    socket = new WebSocket(url.replace('http', 'ws'));
    await once(socket, 'open');
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    // Once more where the adapter was not listening to this client yet.
    const send = (): unknown => socket?.send(JSON.stringify({ event, data }));
    send();
    const again = setInterval(send, 1_000);
    const [text] = await answer.finally(() => {
      clearInterval(again);
    });
    return JSON.parse(String(text));
  }

  async function listen(): Promise<string> {
    const app = await apps.build({ imports: [apps.zkLock()], providers: [Seats, Draws] });
    app.useWebSocketAdapter(new WsAdapter(app));
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  }

  it('answers under its lock', async () => {
    expect(await ask(await listen(), 'hold', { seat: 7 })).toEqual({
      event: 'held',
      data: 'seat:7 7',
    });
  });

  it('answers with the code of the lock error', async () => {
    const url = await listen();
    await using _lock = await (await apps.replica()).acquire('seat:7');
    expect(await ask(url, 'hold', { seat: 7 })).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        message: 'The resource is in use by another operation. Try again later.',
        code: 'LOCK_TIMEOUT',
      },
    });
  });

  it('answers with the code of the error where only the leader may do it', async () => {
    await using election = (await apps.replica()).election('draw');
    await election.whenLeader();
    const url = await listen();
    expect(await ask(url, 'draw', {})).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        message: 'Another instance of the service does this. Try again.',
        code: 'NOT_LEADER',
      },
    });
  });
});
