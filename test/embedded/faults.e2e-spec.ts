import { describe, expect, it, onTestFinished } from 'vitest';
import { CreateMode, type MultiPart, OpCode } from 'zk-protocol';
import { creation, type Wire } from '../conformance/wire.js';
import { waitFor } from '../support/wait-for.js';
import { event, WireClient } from '../support/wire-client.js';
import { attach, idOf, openWire, startEmbedded } from './support.js';

describe('expireSession', () => {
  it('ends a session as its timeout does', async () => {
    const zk = await startEmbedded();
    const [wire, other] = [await openWire(zk), await openWire(zk)];
    await wire.create('/e', { flags: CreateMode.ephemeral });
    await other.exists('/e', true);
    await zk.expireSession(idOf(wire));
    await wire.client.ended;
    await other.client.settle();
    expect(other.client.events).toEqual([event('nodeDeleted', '/e')]);
    expect((await attach(zk, wire)).client.greeting?.timeOut).toBe(0);
    expect((await zk.sessions()).map(({ id }) => id)).toEqual([idOf(other)]);
  });

  it('refuses an unknown id, and a text that is not an id', async () => {
    const zk = await startEmbedded();
    await expect(zk.expireSession('0x123')).rejects.toThrow('no session 0x123');
    await expect(zk.expireSession('nonsense')).rejects.toThrow(
      'a session id must be in hex, as in 0x10000abc0000; got "nonsense".',
    );
  });
});

describe('dropConnections', () => {
  it('cuts all connections, but ends no session', async () => {
    const zk = await startEmbedded();
    const wires = [await openWire(zk), await openWire(zk)];
    await wires[0]?.create('/e', { flags: CreateMode.ephemeral });
    await zk.dropConnections();
    for (const wire of wires) {
      await wire.client.ended;
      const again = await attach(zk, wire);
      expect((await again.exists('/e')).err).toBe('ok');
    }
  });
});

describe('pause', () => {
  it('answers no requests until resume(), and then all of them in order', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    await zk.pause();
    const asked = [wire.create('/a'), wire.create('/a'), wire.exists('/a')];
    const late = await WireClient.open(zk.port);
    onTestFinished(() => late.drop());
    const greeted = late.greet({});
    // The server's own calls are answered. Without the pause, the client would also have been
    // answered by now.
    for (let i = 0; i < 20; i++) await zk.sessions();
    expect(wire.client.received).toEqual([]);
    expect(late.greeting).toBeUndefined();
    expect(await zk.sessions()).toHaveLength(1);
    await zk.resume();
    const errors = (await Promise.all(asked)).map(({ err }) => err);
    expect(errors).toEqual(['ok', 'nodeExists', 'ok']);
    expect((await greeted)?.timeOut).toBe(10_000);
  });

  it('lets no session expire until resume', async () => {
    const [times, session] = [{ tickTimeMs: 200 }, { timeOut: 1_500 }];
    const pauseTwo = async () => {
      const zk = await startEmbedded(times);
      const [silent, speaking] = [await openWire(zk, session), await openWire(zk, session)];
      await zk.pause();
      return (await zk.sessions()).length === 2 && { zk, silent, speaking };
    };
    // On a busy machine, a session may expire before the pause.
    const { zk, silent, speaking } = await waitFor(pauseTwo, { what: 'two sessions in the pause' });
    // Meanwhile, two sessions of the same length have expired on another server, one after the
    // other.
    const clock = await startEmbedded(times);
    for (let count = 0; count < 2; count++) await (await openWire(clock, session)).client.ended;
    expect(await zk.sessions()).toHaveLength(2);
    const answer = speaking.exists('/');
    await zk.resume();
    expect((await answer).err).toBe('ok');
    await silent.client.ended;
  });
});

describe('delay', () => {
  it('preserves the order even if the delay is reduced', async () => {
    const zk = await startEmbedded();
    const [wire, other] = [await openWire(zk), await openWire(zk)];
    const order: string[] = [];
    await zk.delay(3_000);
    const slow = wire.create('/a').then(() => order.push('slow'));
    // The delay does not apply to control calls, which succeed once the node has been created.
    await waitFor(async () => (await zk.setNextSequence('/a', 0).catch(() => 'no')) !== 'no', {
      what: 'the node to be made',
    });
    await zk.delay(0);
    const quick = wire.exists('/a').then(({ err }) => order.push(err));
    await other.exists('/a').then(() => order.push('other'));
    await Promise.all([slow, quick]);
    expect(order).toEqual(['other', 'slow', 'ok']);
  });
});

describe('loseNextReply', () => {
  it('loses only that reply, even among requests that were sent together', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    await zk.loseNextReply('getChildren');
    const created = wire.create('/a');
    const listed = wire.client.ask(OpCode.getChildren2, { path: '/', watch: false });
    const lost = expect(listed).rejects.toThrow('closed');
    expect((await created).err).toBe('ok');
    await lost;
  });

  const write: MultiPart = { type: OpCode.create, request: creation('/multi') };
  type Ask = (wire: Wire) => Promise<{ readonly err: string }>;
  const ops: { operation: Parameters<EmbeddedFault>[0]; ask: Ask; proof?: string }[] = [
    { operation: 'create', ask: (wire) => wire.create('/made'), proof: '/made' },
    {
      ...{ operation: 'multi', proof: '/multi' },
      ask: ({ client }) => client.ask(OpCode.multi, [write]),
    },
    { operation: 'ping', ask: ({ client }) => client.ask(OpCode.ping, undefined) },
  ];
  type EmbeddedFault = Awaited<ReturnType<typeof startEmbedded>>['loseNextReply'];

  it.each(ops)('loses one answer to $operation, but executes the request', async (one) => {
    const zk = await startEmbedded();
    const [wire, other] = [await openWire(zk), await openWire(zk)];
    await wire.create('/n');
    const { zxid } = await other.exists('/n');
    await zk.loseNextReply(one.operation);
    await expect(one.ask(wire)).rejects.toThrow('closed');
    const after = await other.exists('/zookeeper');
    if (one.proof !== undefined) expect((await other.exists(one.proof)).err).toBe('ok');
    expect(after.zxid > zxid).toBe(one.operation !== 'ping');
    const again = await attach(zk, wire);
    await expect(one.ask(again)).resolves.toBeDefined();
  });

  it('loses the answer to closeSession, and still ends the session', async () => {
    const zk = await startEmbedded();
    const { client } = await openWire(zk);
    await zk.loseNextReply('closeSession');
    await expect(client.ask(OpCode.closeSession, undefined)).rejects.toThrow('closed');
    expect(await zk.sessions()).toEqual([]);
  });
});

describe('refuse', () => {
  it('resets new connections until accept(), and leaves the others alone', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    await zk.refuse();
    const refused = await WireClient.connect(zk.port).catch(() => undefined);
    await refused?.ended;
    expect(refused?.greeting).toBeUndefined();
    expect((await wire.exists('/')).err).toBe('ok');
    await zk.accept();
    expect((await (await openWire(zk)).exists('/')).err).toBe('ok');
  });
});

describe('setNextSequence', () => {
  it('reaches the end of the counter, after which all nodes have the same number', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    await wire.create('/p');
    await zk.setNextSequence('/p', 2_147_483_646);
    const made: unknown[] = [];
    for (const name of ['a', 'b', 'c']) {
      made.push((await wire.create(`/p/${name}-`, { flags: 2 })).body);
    }
    expect(made).toEqual(
      ['a-2147483646', 'b-2147483647', 'c-2147483647'].map((name) => ({ path: `/p/${name}` })),
    );
    expect((await wire.create('/p/c-', { flags: 2 })).err).toBe('nodeExists');
  });

  it('refuses an unknown node and an invalid number', async () => {
    const zk = await startEmbedded();
    await expect(zk.setNextSequence('/none', 1)).rejects.toThrow('no node /none');
    await expect(zk.setNextSequence('/', 2 ** 31)).rejects.toThrow(TypeError);
    await expect(zk.setNextSequence('/', 0.5)).rejects.toThrow(TypeError);
  });
});

describe('halt and restart', () => {
  it('keep nodes, sessions and the count of zxids with `keep`', async () => {
    const zk = await startEmbedded({ tickTimeMs: 2_000 });
    const wire = await openWire(zk);
    const { zxid } = await wire.create('/e', { flags: CreateMode.ephemeral });
    const { port } = zk;
    await zk.halt();
    await wire.client.ended;
    await expect(WireClient.open(port)).rejects.toThrow('ECONNREFUSED');
    await expect(zk.sessions()).rejects.toThrow('is halted');
    await zk.restart({ keep: true });
    expect(zk.port).toBe(port);
    const again = await attach(zk, wire, { lastZxidSeen: zxid });
    expect((await again.stat('/e')).ephemeralOwner).toBe(wire.client.sessionId);
    const next = await again.create('/n');
    expect(next.zxid).toBe(zxid + 1n);
  });

  it('lose everything without `keep`, and tell clients that their sessions are over', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    const { zxid } = await wire.create('/n');
    await zk.restart();
    const over = await attach(zk, wire, { lastZxidSeen: zxid });
    expect(over.client.greeting?.timeOut).toBe(0);
    const fresh = await openWire(zk, { lastZxidSeen: zxid });
    expect((await fresh.exists('/n')).err).toBe('noNode');
    const made = await fresh.create('/n');
    expect(made.zxid).toBeGreaterThan(zxid);
    expect(fresh.client.sessionId).not.toBe(wire.client.sessionId);
  });

  it('take new limits, and drop the faults', async () => {
    const zk = await startEmbedded();
    const wire = await openWire(zk);
    await zk.pause();
    await zk.refuse();
    await zk.loseNextReply('exists');
    await zk.restart({ keep: true, maxSessionTimeoutMs: 5_000 });
    const again = await attach(zk, wire);
    expect(again.client.greeting?.timeOut).toBe(5_000);
    expect((await again.exists('/')).err).toBe('ok');
    const failure = zk.restart({ maxSessionTimeoutMs: 1 });
    await expect(failure).rejects.toThrow('maxSessionTimeoutMs');
    expect((await again.exists('/')).err).toBe('ok');
  });

  it('allow a stop while halted', async () => {
    const zk = await startEmbedded();
    await zk.halt();
    await zk.halt();
    await zk.stop();
  });
});
