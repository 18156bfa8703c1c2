import { describe, expect, it } from 'vitest';
import type { Member } from './member.js';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const TICK_MS = 500;
const LIMITS = { tickTimeMs: TICK_MS, initLimit: 10, syncLimit: 4 };

function newLeader(scene: Scene, old: Member): Member {
  scene.until('another leads', () => {
    const { leader } = scene.ensemble;
    return leader !== undefined && leader !== old;
  });
  return scene.leader;
}

describe('a leader that is cut off', () => {
  function story(reaches: 'no follower' | 'one follower') {
    const scene = new Scene(LIMITS).ready();
    const old = scene.leader;
    const [one, other] = scene.followers;
    const client = scene.connected(old);
    client.reply(client.create('/before'));
    const { network } = scene;
    // No confirmation comes back; proposals reach one of them, or none.
    network.block(one!.host, old.host);
    const free = scene.isolate(old, reaches === 'no follower' ? [one!, other!] : [other!]);
    client.create('/after');
    const heal = (): void => {
      network.free(one!.host, old.host);
      free();
    };
    return { scene, old, client, heal };
  }

  it(
    'confirms nothing and steps down; what no other server has is cut from its log',
    inTimer(() => {
      const { scene, old, client, heal } = story('no follower');
      scene.until('it steps down', () => old.peer.state === 'looking');
      expect(client.isClosed || client.replies.length === 1).toBe(true);
      expect(old.replica.database.tree.find('/after')).toBeDefined();
      newLeader(scene, old);
      heal();
      scene.until('it follows', () => old.isServing && old.peer.state === 'following');
      expect(old.replica.database.tree.find('/after')).toBeUndefined();
      expect(old.replica.database.tree.find('/before')).toBeDefined();
    }),
  );

  it(
    'what reached the next leader is kept, though it was not confirmed',
    inTimer(() => {
      const { scene, old, client, heal } = story('one follower');
      newLeader(scene, old);
      expect(client.replies).toHaveLength(1);
      expect(scene.ensemble.view.find('/after')).toBeDefined();
      heal();
      scene.until('it follows', () => old.isServing && old.peer.state === 'following');
      expect(old.replica.database.tree.find('/after')).toBeDefined();
    }),
  );
});

describe('a follower that is cut off', () => {
  it(
    'gives up its leader after syncLimit ticks, and closes its clients',
    inTimer(() => {
      const scene = new Scene(LIMITS).ready();
      const [follower] = scene.followers;
      const client = scene.connected(follower!).pingEvery(300);
      scene.pass(2_000);
      const others = scene.ensemble.members.filter((member) => member !== follower);
      const since = scene.world.now;
      const heal = scene.isolate(follower!, others);
      scene.pass(1_000);
      expect(client.exists('/')).toBe(true);
      scene.until('the connection is closed', () => client.isClosed);
      expect(client.closedAt - since).toBeGreaterThan(4 * TICK_MS - TICK_MS / 2 - 50);
      expect(client.closedAt - since).toBeLessThan(4 * TICK_MS + 100);
      const refused = scene.client(follower!);
      scene.until('the connection is closed', () => refused.isClosed);
      expect(refused.welcome).toBeUndefined();
      heal();
      scene.until('it serves again', () => follower!.isServing);
      expect(scene.leader).not.toBe(follower);
    }),
  );
});

describe('a restart', () => {
  it(
    'without its data takes all from the leader',
    inTimer(() => {
      const scene = new Scene(LIMITS).ready();
      const client = scene.connected(scene.leader);
      client.reply(client.create('/a'));
      const [follower] = scene.followers;
      follower!.restart({ withData: false });
      scene.until('it serves again', () => follower!.isServing);
      expect(follower!.replica.database.tree.find('/a')).toBeDefined();
    }),
  );

  it(
    'with a backup brings back what was then',
    inTimer(() => {
      const scene = new Scene({ voters: 1 });
      const client = scene.connected(scene.leader);
      client.reply(client.create('/a'));
      const backup = scene.leader.backup();
      client.reply(client.create('/b'));
      scene.leader.restart({ withData: backup });
      const { session, lastZxid } = client;
      const again = scene.client(scene.leader, { session, lastZxidSeen: lastZxid });
      scene.until('it is sent away', () => again.isClosed);
      expect(scene.ensemble.view.find('/a')).toBeDefined();
      expect(scene.ensemble.view.find('/b')).toBeUndefined();
    }),
  );
});
