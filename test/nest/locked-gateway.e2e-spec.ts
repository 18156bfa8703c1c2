import { createRequire } from 'node:module';
import { once } from 'node:events';
import type { EventEmitter } from 'node:events';
import {
  Catch,
  type ExceptionFilter,
  type ModuleMetadata,
  type PipeTransform,
  UseFilters,
} from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import {
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
  WsException,
} from '@nestjs/websockets';
import { LockedSetupError, Locked, OnlyLeader, WithPermit, currentLock } from 'nestjs-zk-lock';
import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
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

/** What filters are given. */
const caught: unknown[] = [];

@Catch()
class Notes implements ExceptionFilter {
  catch(exception: unknown): void {
    caught.push(exception);
  }
}

const refuse: PipeTransform = {
  transform: () => {
    throw new WsException('no such room');
  },
};

@WebSocketGateway()
@UseFilters(Notes)
class Rooms extends Gateway {
  @SubscribeMessage('enter')
  @WithPermit('room', { permits: 1 })
  async enter(): Promise<void> {
    return Promise.resolve();
  }

  @SubscribeMessage('find')
  @WithPermit('room', { permits: 1 })
  async find(@MessageBody(refuse) _room: string): Promise<void> {
    return Promise.resolve();
  }
}

describe('a @Locked() gateway method', () => {
  let socket: Socket | undefined;
  afterEach(() => socket?.close());

  /** Asks until `answered` has settled: at first the adapter may not listen to this client yet. */
  async function send<T>(
    url: string,
    message: object,
    answered: (socket: Socket) => Promise<T>,
  ): Promise<T> {
    socket = new WebSocket(url.replace('http', 'ws'));
    await once(socket, 'open');
    const answer = answered(socket);
    const text = JSON.stringify(message);
    socket.send(text);
    const again = setInterval(() => socket?.send(text), 1_000);
    return answer.finally(() => {
      clearInterval(again);
    });
  }

  async function ask(url: string, event: string, data: unknown): Promise<unknown> {
    const [text] = await send(
      url,
      { event, data },
      (asking) => once(asking, 'message') as Promise<[Buffer]>,
    );
    return JSON.parse(String(text));
  }

  async function listen(
    metadata: ModuleMetadata = { imports: [apps.zkLock()], providers: [Seats, Draws] },
  ): Promise<string> {
    const app = await apps.build(metadata);
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

  it.each([
    ['the setup error of its own decorator', 'enter', LockedSetupError, /it is @WithPermit\(\)/],
    ['the error of a pipe', 'find', WsException, /no such room/],
  ])('fails with %s where there is no ZkLockModule', async (_what, event, type, message) => {
    caught.length = 0;
    await send(await listen({ providers: [Rooms] }), { event, data: 'a' }, () =>
      waitFor(() => caught.length > 0, { what: 'the error' }),
    );
    expect(caught[0]).toBeInstanceOf(type);
    expect((caught[0] as Error).message).toMatch(message);
  });
});
