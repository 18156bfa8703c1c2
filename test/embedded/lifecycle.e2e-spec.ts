import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { WireClient } from '../support/wire-client.js';
import { attach, openWire, startEmbedded } from './support.js';

/** Runs a module in a separate process until it exits by itself. */
async function runModule(source: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [[code], output, errors] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: output + errors };
}

describe('EmbeddedZooKeeper', () => {
  it('serves on a free port from its start to its stop', async () => {
    const zk = await startEmbedded();
    expect(zk.connectString).toBe(`127.0.0.1:${zk.port}`);
    const wire = await openWire(zk);
    expect((await wire.create('/n')).err).toBe('ok');
    await Promise.all([zk.stop(), zk.stop()]);
    await wire.client.ended;
    await expect(WireClient.open(zk.port)).rejects.toThrow('ECONNREFUSED');
  });

  it('is independent of other servers in the process', async () => {
    const [one, other] = await Promise.all([startEmbedded(), startEmbedded()]);
    expect(one.port).not.toBe(other.port);
    await (await openWire(one)).create('/n');
    const wire = await openWire(other);
    expect((await wire.exists('/n')).err).toBe('noNode');
    await one.stop();
    expect((await wire.exists('/zookeeper')).err).toBe('ok');
  });

  it('takes the given port, and reports which port is in use', async () => {
    const port = await freePort();
    const zk = await startEmbedded({ port });
    expect(zk.port).toBe(port);
    const failure = await EmbeddedZooKeeper.start({ port }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'EADDRINUSE', port });
    await zk.stop();
    await startEmbedded({ port });
  });

  it('takes options that are inherited, computed, or behind a proxy', async () => {
    const port = await freePort();
    class Config {
      get port(): number {
        return port;
      }
    }
    for (const options of [new Config(), new Proxy({ port }, {})]) {
      const zk = await EmbeddedZooKeeper.start(options);
      await zk.stop();
      expect(zk.port).toBe(port);
    }
  });

  it('gives an IPv6 address in the form that clients read', async () => {
    const zk = await startEmbedded({ host: '::1' }).catch((error: unknown) => error);
    // Not every machine has IPv6.
    if (zk instanceof EmbeddedZooKeeper) expect(zk.connectString).toBe(`[::1]:${zk.port}`);
    else expect((zk as NodeJS.ErrnoException).code).toMatch(/^(EADDRNOTAVAIL|EAFNOSUPPORT)$/);
  });

  it('lists its sessions', async () => {
    const zk = await startEmbedded();
    const [one, other] = [await openWire(zk, { timeOut: 5_000 }), await openWire(zk)];
    await one.create('/e', { flags: 1 });
    other.client.drop();
    await attach(zk, one);
    const sessions = await zk.sessions();
    expect(sessions).toHaveLength(2);
    const own = sessions.find(({ id }) => BigInt(id) === one.client.sessionId);
    expect(own).toMatchObject({ timeoutMs: 10_000, isConnected: true, ephemerals: ['/e'] });
  });

  it('refuses every call once it is stopped', async () => {
    const zk = await startEmbedded();
    await zk.stop();
    const calls = {
      sessions: () => zk.sessions(),
      halt: () => zk.halt(),
      restart: () => zk.restart(),
      expireSession: () => zk.expireSession('0x1'),
      dropConnections: () => zk.dropConnections(),
      pause: () => zk.pause(),
      resume: () => zk.resume(),
      delay: () => zk.delay(1),
      loseNextReply: () => zk.loseNextReply('create'),
      refuse: () => zk.refuse(),
      accept: () => zk.accept(),
      setNextSequence: () => zk.setNextSequence('/', 1),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toThrow('has been stopped');
    }
  });

  it('lets its process end when it is stopped', async () => {
    const { code, output } = await runModule(`
      import { EmbeddedZooKeeper } from 'zk-embedded';
      import { connect } from 'node:net';
      const zk = await EmbeddedZooKeeper.start();
      const socket = connect(zk.port, '127.0.0.1').on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
      await zk.stop();
      console.log('stopped');
    `);
    expect({ code, output }).toEqual({ code: 0, output: 'stopped\n' });
  });
});
