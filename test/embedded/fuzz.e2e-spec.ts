import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectRequest, frame, OpCode } from 'zk-protocol';
import { metric, nobodyIsConnected, openWire, startEmbedded } from './support.js';

const seed = Number(process.env.ZK_FUZZ_SEED ?? 20_220_307);
/** Each seed is a test with a server and a time limit of its own: one takes a third of a second. */
const PARTS = 3;
const FRAMES = 25_000;
const CONNECTIONS = 2;
/** Frames that are sent before their answers are read. */
const BATCH = 2_500;

/** A stream of 32-bit numbers, determined by the seed. */
function randomNumbers(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const handshake = frame((writer) =>
  ConnectRequest.write(writer, {
    protocolVersion: 0,
    lastZxidSeen: 0n,
    timeOut: 60_000,
    sessionId: 0n,
    passwd: Buffer.alloc(16),
    readOnly: false,
  }),
);
/** Without closeSession, which would end the session, and without types that end the connection. */
const TYPES = Object.values(OpCode).filter(
  (type) => type > 0 && ![OpCode.auth, OpCode.sasl, OpCode.deleteContainer].includes(type as never),
);

/** The header of a request, and random bytes as its body. */
function headed(random: (below: number) => number): Buffer {
  const size = random(60);
  const bytes = Buffer.alloc(12 + size);
  bytes.writeInt32BE(8 + size, 0);
  bytes.writeInt32BE(random(1_000), 4);
  bytes.writeInt32BE(TYPES[random(TYPES.length)]!, 8);
  for (let i = 12; i < bytes.length; i++) bytes[i] = random(4) > 0 ? random(3) : random(256);
  return bytes;
}

/** Bytes after which the server cannot continue to read. */
function deadly(random: (below: number) => number): Buffer {
  const bytes = Buffer.alloc(4 + random(64));
  for (let i = 0; i < bytes.length; i++) bytes[i] = random(256);
  const lengths = [-1, -0x8000_0000, 0x7fff_ffff, 0x10_0000, 0, 3];
  bytes.writeInt32BE(lengths[random(lengths.length)]!, 0);
  return bytes;
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
  await once(socket, 'connect');
  return socket.resume();
}

/**
 * Sends many frames over one connection after the other; each connection ends with malformed bytes.
 */
async function bombard(
  port: number,
  frames: number,
  random: (below: number) => number,
): Promise<void> {
  for (let sent = 0; sent < frames; sent += BATCH) {
    const socket = await openSocket(port);
    const closed = once(socket, 'close');
    const pieces = [handshake];
    for (let i = 0; i < BATCH; i++) pieces.push(headed(random));
    pieces.push(deadly(random), deadly(random), Buffer.from([0x7f, 0, 0, 0]));
    socket.write(Buffer.concat(pieces));
    await closed;
  }
}

describe('random bytes', () => {
  const seeds = Array.from({ length: PARTS }, (_, part) => seed + part * CONNECTIONS);
  it.each(seeds)('in thousands of frames leave a server unchanged (seed %i)', async (first) => {
    const zk = await startEmbedded({ maxClientConnections: 0, maxSessionTimeoutMs: 60_000 });
    const before = await openWire(zk, { timeOut: 60_000 });
    await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, index) =>
        bombard(zk.port, FRAMES / CONNECTIONS, randomNumbers(first + index)),
      ),
    );
    expect((await before.exists('/')).err).toBe('ok');
    expect(await metric(zk, 'packets_received')).toBeGreaterThan(FRAMES);
    const sessions = await zk.sessions();
    expect(sessions).toHaveLength(1 + FRAMES / BATCH);
    for (const { id, isConnected } of sessions) if (!isConnected) await zk.expireSession(id);
    expect(await metric(zk, 'global_sessions')).toBe(1);
    expect(await metric(zk, 'watch_count')).toBe(0);
    await before.client.close();
    await nobodyIsConnected(zk);
    const wire = await openWire(zk);
    expect((await wire.create('/afterwards')).err).toBe('ok');
  });

  it('instead of a handshake end the connection', async () => {
    const zk = await startEmbedded({ maxClientConnections: 0 });
    const random = randomNumbers(seed);
    for (let i = 0; i < 500; i++) {
      const socket = await openSocket(zk.port);
      const closed = once(socket, 'close');
      socket.write(Buffer.concat([deadly(random), Buffer.from([0x7f, 0, 0, 0, 0x7f, 0, 0, 0])]));
      await closed;
    }
    await nobodyIsConnected(zk);
    expect(await zk.sessions()).toEqual([]);
    expect((await (await openWire(zk)).exists('/')).err).toBe('ok');
  });
});
