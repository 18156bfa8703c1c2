import { ErrorCode, OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const TICK_MS = 1_000;

describe('a session whose client falls silent', () => {
  it(
    'ends at the end of the tick in which its timeout falls, with its ephemeral nodes',
    inTimer(() => {
      const scene = new Scene({ voters: 1, tickTimeMs: TICK_MS });
      const client = scene.connected(scene.leader, { timeoutMs: 4_000 });
      const { process } = scene.leader;
      client.reply(client.create('/a', 1));
      const heardAt = process.monotonic();
      scene.until('the end', () => scene.ensemble.view.sessions.length === 0);
      const endedAt = process.monotonic();
      expect(Math.floor(endedAt) % TICK_MS).toBe(0);
      expect(endedAt - heardAt).toBeGreaterThan(4_000 - 10);
      expect(endedAt - heardAt).toBeLessThan(4_000 + TICK_MS + 10);
      expect(scene.ensemble.view.find('/a')).toBeUndefined();
      scene.until('the connection is closed', () => client.isClosed);
    }),
  );

  it(
    'lives on if the client comes back in time, to another server',
    inTimer(() => {
      const scene = new Scene({ tickTimeMs: TICK_MS }).ready();
      const [one, other] = scene.followers;
      const client = scene.connected(one!, { timeoutMs: 4_000 });
      client.reply(client.create('/a', 1));
      scene.pass(3_000);
      client.disconnect();
      const { session } = client;
      const again = scene.connected(other!, { timeoutMs: 4_000, session }).pingEvery(1_000);
      expect(again.welcome?.sessionId).toBe(session.sessionId);
      scene.pass(10_000);
      expect(again.exists('/a')).toBe(true);
      expect(again.isClosed).toBe(false);
    }),
  );

  it(
    'is over for a client that comes back too late',
    inTimer(() => {
      const scene = new Scene({ tickTimeMs: TICK_MS }).ready();
      const [one, other] = scene.followers;
      const client = scene.connected(one!, { timeoutMs: 4_000 });
      scene.pass(8_000);
      const again = scene.connected(other!, { timeoutMs: 4_000, session: client.session });
      expect(again.welcome).toMatchObject({ sessionId: 0n, timeOut: 0 });
      scene.until('the connection is closed', () => again.isClosed);
    }),
  );
});

it(
  'pings keep a session alive, through a follower and through the leader',
  inTimer(() => {
    const scene = new Scene({ tickTimeMs: TICK_MS }).ready();
    const clients = scene.ensemble.members.map((member) =>
      scene.connected(member, { timeoutMs: 2_000 }).pingEvery(600),
    );
    scene.pass(30_000);
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    expect(scene.ensemble.view.sessions).toHaveLength(3);
  }),
);

it(
  'a client with the wrong password gets no session',
  inTimer(() => {
    const scene = new Scene().ready();
    const client = scene.connected(scene.leader);
    const { sessionId } = client.session;
    const session = { sessionId, passwd: Buffer.alloc(16, 7) };
    expect(scene.connected(scene.followers[0]!, { session }).welcome?.sessionId).toBe(0n);
    expect(client.exists('/')).toBe(true);
  }),
);

it(
  'a client that has seen more than a server knows is sent away',
  inTimer(() => {
    const scene = new Scene().ready();
    const client = scene.client(scene.leader, { lastZxidSeen: 9n << 32n });
    scene.until('the connection is closed', () => client.isClosed);
    expect(client.welcome).toBeUndefined();
  }),
);

it(
  'after a client has moved, writes on its old connection close that',
  inTimer(() => {
    const scene = new Scene().ready();
    const [one, other] = scene.followers;
    const old = scene.connected(one!);
    const moved = scene.connected(other!, { session: old.session });
    expect(old.exists('/')).toBe(true);
    old.create('/a');
    scene.until('the connection is closed', () => old.isClosed);
    expect(moved.exists('/a')).toBe(false);
    expect(moved.reply(moved.create('/b')).err).toBe(ErrorCode.ok);
  }),
);

describe('the timeout', () => {
  it(
    'is negotiated with the server of the connection',
    inTimer(() => {
      const scene = new Scene({
        tickTimeMs: TICK_MS,
        members: [{}, { minSessionTimeoutMs: 5_000 }, { maxSessionTimeoutMs: 3_000 }],
      }).ready();
      const [first, second, third] = scene.ensemble.members;
      const granted = (member: typeof first): number | undefined =>
        scene.connected(member!, { timeoutMs: 4_000 }).welcome?.timeOut;
      expect([first, second, third].map(granted)).toEqual([4_000, 5_000, 3_000]);
    }),
  );

  it(
    'of the creation counts again when another server leads',
    inTimer(() => {
      const scene = new Scene({ tickTimeMs: TICK_MS }).ready();
      const long = scene.connected(scene.leader, { timeoutMs: 20_000 });
      const { session } = long;
      long.disconnect();
      const short = scene.connected(scene.followers[0]!, { timeoutMs: 2_000, session });
      expect(short.welcome?.timeOut).toBe(2_000);
      const old = scene.leader;
      old.crash();
      scene.until('another leads', () => scene.ensemble.leader !== undefined);
      const since = scene.world.now;
      scene.until('the end', () => scene.ensemble.view.sessions.length === 0);
      expect(scene.world.now - since).toBeGreaterThan(19_000);
      expect(old.isRunning).toBe(false);
    }),
  );
});

it(
  'an operator ends a session at once',
  inTimer(() => {
    const scene = new Scene().ready();
    const client = scene.connected(scene.followers[0]!).pingEvery(500);
    client.reply(client.create('/a', 1));
    expect(scene.ensemble.expireSession(client.session.sessionId)).toBe(true);
    scene.until('the connection is closed', () => client.isClosed, 200);
    expect(scene.ensemble.view.find('/a')).toBeUndefined();
  }),
);

it(
  'a client ends its session, and is answered before its connection closes',
  inTimer(() => {
    const scene = new Scene().ready();
    const client = scene.connected(scene.followers[0]!);
    client.create('/a', 1);
    client.reply(client.send(OpCode.closeSession as never, undefined as never));
    scene.until('the connection is closed', () => client.isClosed);
    scene.until('the end', () => scene.ensemble.view.sessions.length === 0);
    expect(scene.ensemble.view.find('/a')).toBeUndefined();
  }),
);
