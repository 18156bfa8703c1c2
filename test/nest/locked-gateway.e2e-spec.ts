import { once } from 'node:events';
import { Catch, type ExceptionFilter, type PipeTransform, UseFilters } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { LockedSetupError, WithPermit } from 'nestjs-zk-lock';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { waitFor } from '../support/wait-for.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** The errors that filters receive. */
const caught: Error[] = [];

@Catch()
class Notes implements ExceptionFilter {
  catch(exception: Error): void {
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
class Rooms {
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

it.each([
  ['the setup error of its own decorator', 'enter', LockedSetupError, /it is @WithPermit\(\)/],
  ['the error of a pipe', 'find', WsException, /no such room/],
])(
  'a decorated gateway method fails with %s if there is no ZkLockModule',
  async (_what, event, type, message) => {
    caught.length = 0;
    const app = await apps.build({ providers: [Rooms] });
    app.useWebSocketAdapter(new WsAdapter(app));
    await app.listen(0, '127.0.0.1');
    const socket = new WebSocket((await app.getUrl()).replace('http', 'ws'));
    onTestFinished(() => {
      socket.close();
    });
    await once(socket, 'open');
    const send = (): void => {
      socket.send(JSON.stringify({ event, data: 'a' }));
    };
    send();
    // At first, the adapter may not be listening to this client yet.
    const again = setInterval(send, 1_000);
    onTestFinished(() => {
      clearInterval(again);
    });
    await waitFor(() => caught.length > 0, { what: 'the error' });
    expect(caught[0]).toBeInstanceOf(type);
    expect(caught[0]!.message).toMatch(message);
  },
);
