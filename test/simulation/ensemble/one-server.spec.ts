import { ErrorCode, OpCode } from 'zk-protocol';
import { expect, it } from 'vitest';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

it(
  'answers the requests of a connection in their order',
  inTimer(() => {
    const scene = new Scene({ voters: 1 });
    const client = scene.connected(scene.leader);
    client.create('/a');
    client.send(OpCode.getData, { path: '/a', watch: false });
    client.create('/a/b', 1);
    const last = client.send(OpCode.getChildren2, { path: '/a', watch: false });
    client.reply(last);
    expect(client.replies.map(({ xid, err }) => [xid, err])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
    ]);
    expect(scene.ensemble.view.find('/a/b')?.czxid).toBe(3n);
    expect(scene.ensemble.view.ephemerals).toEqual([
      { path: '/a/b', sessionId: client.session.sessionId },
    ]);
  }),
);

it(
  'refuses a second creation, which takes a zxid anyway',
  inTimer(() => {
    const scene = new Scene({ voters: 1 });
    const client = scene.connected(scene.leader);
    client.create('/a');
    const refused = client.reply(client.create('/a'));
    expect(refused.err).toBe(ErrorCode.nodeExists);
    expect(refused.zxid).toBe(3n);
  }),
);
