import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../../zk-client/src/port/client-errors.js';
import type { NodeContent } from '../../../zk-client/src/port/zookeeper-client.js';
import { Clock } from '../../../zk-client/src/session/clock.js';
import { FreshNews } from '../../../zk-client/src/session/fresh-news.js';
import type { Session } from '../../../zk-client/src/session/session.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import { OwnNode } from './own-node.js';

const PATH = '/k/own';
const content = (czxid: bigint, data = ''): NodeContent =>
  ({ data: Buffer.from(data), stat: { czxid, ephemeralOwner: 'ours' } }) as NodeContent;

/** A node that has changed, and is being read for that. */
function open() {
  let resolve!: (content: NodeContent) => void;
  let reject!: (error: Error) => void;
  const get = vi.fn(() => new Promise<NodeContent>((...settle) => ([resolve, reject] = settle)));
  const news = new FreshNews(new Clock());
  const session = { get, news, watch: () => undefined, unwatch: () => undefined };
  const lease = { sessionId: 'ours' } as SessionLease;
  const own = new OwnNode(session as unknown as Session, lease, PATH, 1n);
  const keeper = { onLost: vi.fn(), onRevoked: vi.fn() };
  own.keepFor(keeper);
  own.onNodeEvent('changed');
  expect(get).toHaveBeenCalledOnce();
  return { own, keeper, read: { resolve, reject } };
}

type Read = ReturnType<typeof open>['read'];
const answers: [string, (read: Read) => void][] = [
  ['is gone', (read) => read.reject(new ZooKeeperError(ReturnCode.noNode, 'get', PATH))],
  ['cannot be read', (read) => read.reject(new ZooKeeperError(ReturnCode.noAuth, 'get', PATH))],
  ["is another session's", (read) => read.resolve(content(2n))],
  ['is asked for', (read) => read.resolve(content(1n, '__REVOKE__'))],
];

it.each(answers)('tells its keeper that it %s', async (_, answer) => {
  const { keeper, read } = open();
  answer(read);
  await nextTurn();
  expect(keeper.onLost.mock.calls.length + keeper.onRevoked.mock.calls.length).toBe(1);
});

it.each(answers)('does not tell that it %s once it is stopped', async (_, answer) => {
  const { own, keeper, read } = open();
  own.stop();
  answer(read);
  await nextTurn();
  expect(keeper.onLost).not.toHaveBeenCalled();
  expect(keeper.onRevoked).not.toHaveBeenCalled();
});

it('tells its keeper that it is abandoned', () => {
  const { own, keeper } = open();
  own.abandon();
  expect(keeper.onLost).toHaveBeenCalledOnce();
});
