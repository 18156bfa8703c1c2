import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AddWatchMode, OpCode } from 'zk-protocol';
import { waitFor } from '../support/wait-for.js';
import { WireClient } from '../support/wire-client.js';
import { attach, metric, nobodyIsConnected, openWire, startEmbedded } from './support.js';

describe('maxClientConnections', () => {
  it('refuses a connection beyond the limit until another one ends', async () => {
    const zk = await startEmbedded({ maxClientConnections: 2 });
    const first = await openWire(zk);
    const second = await openWire(zk);
    const greetingOfAnother = async () => {
      const another = await WireClient.connect(zk.port).catch(() => undefined);
      if (another) onTestFinished(() => another.drop());
      return another?.greeting;
    };
    expect(await greetingOfAnother()).toBeUndefined();
    await first.client.close();
    const greeting = await waitFor(greetingOfAnother, { what: 'room for another' });
    expect(greeting.timeOut).toBe(10_000);
    expect((await second.exists('/')).err).toBe('ok');
  });
});

describe('maxBufferBytes', () => {
  it('closes the connection of a client that sends more', async () => {
    const zk = await startEmbedded({ maxBufferBytes: 1_000 });
    const wire = await openWire(zk);
    expect((await wire.create('/n', { data: Buffer.alloc(900) })).err).toBe('ok');
    await expect(wire.create('/m', { data: Buffer.alloc(1_000) })).rejects.toThrow('closed');
    expect((await (await attach(zk, wire)).exists('/m')).err).toBe('noNode');
  });
});

describe('a client that does not read', () => {
  it('gets further answers when the server was paused while it began to read', async () => {
    const zk = await startEmbedded();
    const [wire, other] = [await openWire(zk), await openWire(zk)];
    await wire.create('/big', { data: Buffer.alloc(900_000) });
    wire.client.socket.pause();
    const asked = Array.from({ length: 60 }, () => wire.getData('/big'));
    for (let i = 0; i < 50; i++) await other.exists('/big');
    await zk.pause();
    wire.client.socket.resume();
    // Waits until the written bytes have been read and no longer fill the server's sockets.
    let before = -1;
    await waitFor(
      async () => {
        const { bytesRead } = wire.client.socket;
        const isStill = bytesRead === before;
        before = bytesRead;
        return isStill;
      },
      { what: 'the client to have read all there is', intervalMs: 100 },
    );
    await zk.resume();
    expect(await Promise.all(asked)).toHaveLength(60);
    expect((await wire.exists('/big')).err).toBe('ok');
  });

  it('is cut off when too many events wait for it', async () => {
    const timeOut = 60_000;
    const zk = await startEmbedded();
    const [deaf, writer] = [await openWire(zk, { timeOut }), await openWire(zk, { timeOut })];
    const path = `/${'long-name-'.repeat(20_000)}`;
    await deaf.client.ask(OpCode.addWatch, { path, mode: AddWatchMode.persistent });
    deaf.client.socket.pause();
    await writer.create(path);
    // The third connection belongs to this query.
    while ((await metric(zk, 'num_alive_connections')) > 2) {
      await Promise.all(Array.from({ length: 20 }, () => writer.setData(path)));
    }
    expect(await metric(zk, 'watch_count')).toBe(0);
    expect(await zk.sessions()).toHaveLength(2);
  });
});

describe('a client that does not hang up', () => {
  it('is disconnected after the last answer', async () => {
    const zk = await startEmbedded();
    const rude = connect({ port: zk.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void rude.destroy());
    rude.write('ruok');
    rude.on('error', () => undefined).resume();
    await nobodyIsConnected(zk);
  });
});
