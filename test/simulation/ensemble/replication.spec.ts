import { OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const LATE = { percent: 100, leastMs: 500, mostMs: 500 };

describe('three servers', () => {
  it(
    'elect one of them and keep one tree',
    inTimer(() => {
      const scene = new Scene().ready();
      const clients = scene.ensemble.members.map((member) => scene.connected(member));
      clients.forEach((client, index) => client.reply(client.create(`/n${index}`)));
      scene.pass(1_000);
      const trees = scene.ensemble.members.map(({ replica }) => [
        ...(replica.database.tree.find('/')?.children ?? []),
      ]);
      expect(trees).toEqual(Array(3).fill(['zookeeper', 'n0', 'n1', 'n2']));
      expect(scene.ensemble.view.sessions).toHaveLength(3);
    }),
  );
});

describe('a follower that lags', () => {
  function scene(): Scene {
    const scene = new Scene({ members: [{ lag: LATE }, { lag: LATE }, { lag: LATE }] });
    return scene.ready();
  }

  it(
    'tells a watcher later than the writer has its answer from the leader',
    inTimer(() => {
      const one = scene();
      const writer = one.connected(one.leader);
      const watcher = one.connected(one.followers[0]!);
      watcher.exists('/a', true);
      const reply = writer.reply(writer.create('/a'));
      one.until('the event', () => watcher.events.length > 0);
      expect(one.world.now - reply.at).toBeGreaterThan(400);
      expect(watcher.exists('/a')).toBe(true);
    }),
  );

  it(
    'answers reads from what it has executed, and with sync from what was committed',
    inTimer(() => {
      const one = scene();
      const writer = one.connected(one.leader);
      const reader = one.connected(one.followers[0]!);
      writer.reply(writer.create('/a'));
      expect(reader.exists('/a')).toBe(false);
      reader.send(OpCode.sync, { path: '/' });
      expect(reader.exists('/a')).toBe(true);
    }),
  );

  it(
    'tells a watcher of a write before it answers that write',
    inTimer(() => {
      const one = scene();
      const client = one.connected(one.followers[0]!);
      client.exists('/a', true);
      client.reply(client.create('/a'));
      expect(client.heard).toEqual(['reply 1', 'event /a', 'reply 2']);
    }),
  );
});
