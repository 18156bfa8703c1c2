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
});

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
