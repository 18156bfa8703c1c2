import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ConnectResponse,
  encodeErrorReply,
  encodeReply,
  encodeWatcherEvent,
  ErrorCode,
  EventType,
  frame,
  KeeperState,
  OpCode,
} from 'zk-protocol';
import { event, WireClient, WireClosed } from './wire-client.js';

const eventBytes = encodeWatcherEvent({
  type: EventType.nodeDeleted,
  state: KeeperState.syncConnected,
  path: '/a',
});
const greeting = { protocolVersion: 0, timeOut: 5_000, sessionId: 7n, passwd: Buffer.from('pw') };
const welcome = frame((writer) => ConnectResponse.write(writer, greeting));
const list = { path: '/', watch: false };

let server: Server;
let peer: Socket;
let port: number;

beforeEach(async () => {
  server = createServer((socket) => {
    peer = socket.on('error', () => undefined);
    socket.once('data', () => socket.write(welcome));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  peer.destroy();
  server.close();
  await once(server, 'close');
});

describe('WireClient', () => {
  it('shakes hands, and attaches to what it was given', async () => {
    const client = await WireClient.connect(port);
    expect(client.greeting).toEqual(greeting);
    const handshake = once(server, 'connection').then(
      ([socket]) => once(socket as Socket, 'data') as Promise<[Buffer]>,
    );
    const second = await WireClient.attach(port, client);
    const [bytes] = await handshake;
    expect(bytes.readBigInt64BE(20)).toBe(7n);
    client.drop();
    second.drop();
  });

  it('keeps replies and events in their order', async () => {
    const client = await WireClient.connect(port);
    const replies = [client.ask(OpCode.getChildren, list), client.ask(OpCode.getChildren, list)];
    peer.write(
      Buffer.concat([
        encodeReply({ xid: 1, zxid: 5n }, OpCode.getChildren, { children: ['x'] }),
        eventBytes,
        encodeErrorReply({ xid: 2, zxid: 6n, err: ErrorCode.noNode }),
      ]),
    );
    const [first, second] = await Promise.all(replies);
    expect(first).toMatchObject({ err: 'ok', zxid: 5n, body: { children: ['x'] } });
    expect(second).toMatchObject({ err: 'noNode', zxid: 6n, body: undefined });
    expect(client.received).toEqual([first, event('nodeDeleted', '/a'), second]);
    expect(client.events).toHaveLength(1);
    client.drop();
  });

  it('rejects what is not answered when the connection ends, and what is asked after it', async () => {
    const client = await WireClient.connect(port);
    const unanswered = client.ask(OpCode.getChildren, list);
    peer.destroy();
    await expect(unanswered).rejects.toThrow(WireClosed);
    await client.ended;
    await expect(client.ask(OpCode.getChildren, list)).rejects.toThrow(WireClosed);
  });
});
