import { describe, expect, it } from 'vitest';
import type { Member } from './member.js';
import type { EnsembleOptions } from './options.js';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const TICK_MS = 1_000;

function observerOf(scene: Scene): Member {
  return scene.ensemble.members.find(({ peer }) => peer.state === 'observing')!;
}

describe.each<NonNullable<EnsembleOptions['observers']>>(['of the leader', 'of a follower'])(
  'an observer %s',
  (observers) => {
    const options = { observers, tickTimeMs: TICK_MS };

    it(
      'reports the sessions of its clients, which live on as they move',
      inTimer(() => {
        const scene = new Scene(options).ready();
        const client = scene.connected(observerOf(scene), { timeoutMs: 3_000 }).pingEvery(800);
        scene.pass(30_000);
        expect(client.isClosed).toBe(false);
        client.disconnect();
        const { session } = client;
        const moved = scene.connected(scene.leader, { timeoutMs: 3_000, session });
        expect(moved.welcome?.sessionId).toBe(session.sessionId);
        moved.disconnect();
        const back = scene.connected(observerOf(scene), { timeoutMs: 3_000, session });
        expect(back.welcome?.sessionId).toBe(session.sessionId);
        back.disconnect();
        scene.until('the end', () => scene.ensemble.view.sessions.length === 0, 6_000);
      }),
    );

    it(
      'finds the next leader',
      inTimer(() => {
        const scene = new Scene(options).ready();
        const observer = observerOf(scene);
        const old = scene.leader;
        old.crash();
        scene.until('it looks', () => !observer.isServing);
        scene.until('it serves again', () => observer.isServing);
        const client = scene.connected(observer);
        expect(client.reply(client.create('/a')).err).toBe(0);
        expect(scene.ensemble.view.find('/a')).toBeDefined();
      }),
    );

    it(
      'does not count towards a majority',
      inTimer(() => {
        const scene = new Scene(options).ready();
        for (const member of scene.followers) member.crash();
        scene.until('the leader steps down', () => scene.ensemble.leader === undefined);
        scene.pass(30_000);
        expect(scene.ensemble.members.some(({ isServing }) => isServing)).toBe(false);
      }),
    );
  },
);

it(
  'reports of an observer behind a follower come later than those of a follower',
  inTimer(() => {
    /** How long after a ping the leader has moved the session's deadline. */
    function reportMs(observers: NonNullable<EnsembleOptions['observers']>): number {
      let longest = 0;
      for (let seed = 1; seed <= 10; seed++) {
        const scene = new Scene({ observers, tickTimeMs: TICK_MS }, seed).ready();
        const client = scene.connected(observerOf(scene), { timeoutMs: 20_000 });
        const { sessionId } = client.session;
        scene.pass(5_000);
        const { leader } = scene.leader.peer;
        const before = leader!.tracker.expiresAt(sessionId);
        const since = scene.world.now;
        client.ping();
        scene.until('the report', () => leader!.tracker.expiresAt(sessionId) !== before);
        longest = Math.max(longest, scene.world.now - since);
      }
      return longest;
    }
    const direct = reportMs('of the leader');
    const indirect = reportMs('of a follower');
    expect(direct).toBeLessThan(TICK_MS / 2 + 70);
    expect(indirect).toBeGreaterThan(TICK_MS / 2 + 70);
    expect(indirect).toBeLessThan(TICK_MS + 140);
  }),
);
