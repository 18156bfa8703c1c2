import { OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

describe('containers', () => {
  it(
    'are deleted one after the other, once they have lost their last child',
    inTimer(() => {
      const options = { containerCheckMs: 5_000, containersPerMinute: 600 };
      const scene = new Scene(options).ready();
      const client = scene.connected(scene.leader).pingEvery(1_000);
      const request = { data: null, acl: OPEN, flags: 4 };
      for (const name of ['a', 'b', 'c', 'unused']) {
        client.call(OpCode.createContainer, { ...request, path: `/${name}` });
        if (name !== 'unused')
          client.call(OpCode.create, { ...request, path: `/${name}/x`, flags: 1 });
      }
      client.reply(client.send(OpCode.delete, { path: '/a/x', version: -1 }));
      client.reply(client.send(OpCode.delete, { path: '/b/x', version: -1 }));
      const zxid = scene.ensemble.view.zxid;
      scene.until('one is gone', () => scene.ensemble.view.zxid === zxid + 1n, 6_000);
      const since = scene.world.now;
      scene.until('both are gone', () => scene.ensemble.view.zxid === zxid + 2n);
      expect(scene.world.now - since).toBeGreaterThan(90);
      scene.pass(20_000);
      expect(scene.ensemble.view.children('/')).toEqual(['zookeeper', 'c', 'unused']);
    }),
  );
});

it(
  'what was not on the disk is lost in a crash, and what was confirmed is not',
  inTimer(() => {
    const slow = { disk: { percent: 100, leastMs: 300, mostMs: 300 } };
    const scene = new Scene({ tickTimeMs: 500, members: [slow, slow, slow] }).ready();
    const client = scene.connected(scene.leader);
    client.reply(client.create('/a'));
    client.create('/b');
    scene.pass(100);
    for (const member of scene.ensemble.members) member.restart({ withData: true });
    scene.until('there is a leader', () => scene.ensemble.leader !== undefined);
    expect(scene.ensemble.view.find('/a')).toBeDefined();
    expect(scene.ensemble.view.find('/b')).toBeUndefined();
    expect(client.replies).toHaveLength(1);
  }),
);

it(
  'a server that missed thousands of transactions catches up by a snapshot',
  inTimer(() => {
    const scene = new Scene({ tickTimeMs: 500 }).ready();
    const [missing] = scene.followers;
    missing!.crash();
    const client = scene.connected(scene.leader, { timeoutMs: 10_000 });
    client.create('/a');
    const write = { path: '/a', data: Buffer.from('x'), version: -1 };
    for (let index = 0; index < 3_500; index++) client.send(OpCode.setData, write);
    client.reply(3_501);
    missing!.restart({ withData: true });
    scene.until('it serves', () => missing!.isServing);
    expect(missing!.replica.database.tree.find('/a')?.version).toBe(3_500);
    client.reply(client.create('/b'));
    scene.pass(1_000);
    expect(missing!.replica.database.tree.find('/b')).toBeDefined();
  }),
);

describe('the same seed', () => {
  function run(seed: number): string {
    const scene = new Scene({ tickTimeMs: 500, observers: 'of the leader' }, seed).ready();
    const client = scene.connected(scene.followers[0]!).pingEvery(300);
    for (let index = 0; index < 50; index++) client.create(`/n${index}`);
    scene.pass(3_000);
    scene.leader.crash();
    scene.pass(10_000);
    return scene.world.digest;
  }

  it(
    'gives the same story, and another one another',
    inTimer(() => {
      expect(run(3)).toBe(run(3));
      expect(run(3)).not.toBe(run(4));
    }),
  );
});
