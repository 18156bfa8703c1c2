import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../../zk-client/src/port/client-errors.js';
import type { NodeContent } from '../../../zk-client/src/port/zookeeper-client.js';
import type { QueueContext } from '../queue/lock-node.js';
import { OwnNode } from '../queue/own-node.js';
import { Clock } from '../../../zk-client/src/session/clock.js';
import { FreshNews } from '../../../zk-client/src/session/fresh-news.js';
import type { Session } from '../../../zk-client/src/session/session.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import { NodeGrant } from './node-grant.js';

/** A grant whose node is new; its session has read its socket a moment ago. */
async function open(read: () => Promise<NodeContent>) {
  const news = new FreshNews(new Clock());
  news.answered(performance.now());
  const get = vi.fn(read);
  const sync = vi.fn(() => nextTurn());
  const session = {
    ...{ news, get, sync, hasFreshNews: () => true, readNews: () => nextTurn(true) },
    ...{ watch: () => undefined, unwatch: () => undefined },
  };
  const lease = {
    get holding() {
      return this;
    },
    ...{ sessionId: 'ours', listen: () => undefined, unlisten: () => undefined },
    ...{ isValid: () => true, whenCertain: () => Promise.resolve() },
  } as unknown as SessionLease;
  const grant = new NodeGrant({ session } as unknown as QueueContext, lease, {
    key: 'k',
    mode: 'write',
  });
  await grant.add(new OwnNode(session as unknown as Session, lease, '/k/own', 1n));
  return { grant, get, sync };
}

it('waits for the first reading of its node, behind which the server is asked', async () => {
  const gone = new ZooKeeperError(ReturnCode.noNode, 'get', '/k/own');
  const { grant, get, sync } = await open(() => nextTurn().then(() => Promise.reject(gone)));
  await grant.readNews();
  expect(get.mock.invocationCallOrder[0]).toBeLessThan(sync.mock.invocationCallOrder[0]!);
  expect(grant.loss?.reason).toBe('node-deleted');
});

it('asks nothing where its node was read', async () => {
  const stat = { czxid: 1n, ephemeralOwner: 'ours' };
  const content = { data: Buffer.alloc(0), stat } as NodeContent;
  const { grant, sync } = await open(() => Promise.resolve(content));
  await nextTurn();
  expect(await grant.readNews()).toBe(true);
  expect(sync).not.toHaveBeenCalled();
});
