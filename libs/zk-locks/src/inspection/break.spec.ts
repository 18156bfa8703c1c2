import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RecordingLogger } from '../../../../test/support/recording-logger.js';
import { treeContender } from '../../../../test/support/tree-keys.js';
import { ReturnCode, ZooKeeperError } from '../../../zk-client/src/port/client-errors.js';
import { ZooKeeperUnavailableError } from '../../../zk-client/src/zk-lock-error.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import { type Dialect, dialectOf } from '../nodes/dialect.js';
import { fencingToken } from '../nodes/fencing-token.js';
import type { QueueContext } from '../queue/lock-node.js';
import { atOnce } from '../slices.js';
import { tellBroken } from './break.js';
import { Inspector } from './inspector.js';

const NODE = `_c_${randomUUID()}-__WRIT__0000000000`;
const CZXID = 7n;

/**
 * An operator, and a holder that does not hear.
 *
 * @param answerMs how long the leader takes to answer
 */
function open(connectTimeoutMs: number, answerMs = 0) {
  const data = Buffer.from(JSON.stringify({ host: 'a', pid: 1, since: 'now' }));
  const nodes = new Map([
    [NODE, { data, stat: { czxid: CZXID, ephemeralOwner: '1', ctime: new Date() } }],
  ]);
  const get = (path: string) => nodes.get(path.split('/').at(-1) ?? '');
  const lease = { listen: () => undefined, unlisten: () => undefined } as unknown as SessionLease;
  const session = {
    snapshot: { servers: 'zk1:2181' },
    isStarted: true,
    whenConnected: async () => lease,
    sync: async () => {
      if (answerMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, answerMs));
    },
    exists: async (_: SessionLease, path: string) => get(path)?.stat,
    get: async (_: SessionLease, path: string) => {
      const content = get(path);
      if (!content) throw new ZooKeeperError(ReturnCode.noNode, 'get', path);
      return content;
    },
    set: async () => undefined,
    delete: async () => nodes.clear(),
    watch: () => undefined,
    unwatch: () => undefined,
  };
  const directories = {
    queueIn: async (_lease: unknown, directory: string, { parse }: Dialect) =>
      atOnce(parse(directory, [...nodes.keys()])),
  };
  const context = {
    session,
    directories,
    root: '/locks',
    dialect: dialectOf('curator-rw'),
    connectTimeoutMs,
    activeLocks: { closing: new AbortController().signal },
  };
  const operator = new Inspector(context as unknown as QueueContext);
  return { operator, nodes, session };
}

it('a holder that does not respond keeps its lock for a second, however short the time for an answer is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { operator, nodes } = open(600);
  const breaking = operator.breakLock('k', { node: NODE, token: fencingToken(CZXID) });
  await vi.advanceTimersByTimeAsync(999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(nodes.size).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await breaking;
  expect(nodes.size).toBe(0);
});

it('is left alone once the call has failed because answers came too late', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { operator, nodes } = open(600, 1_700);
  const breaking = operator.breakLock('k', { node: NODE, token: fencingToken(CZXID) });
  const failed = expect(breaking).rejects.toThrow(ZooKeeperUnavailableError);
  await vi.advanceTimersByTimeAsync(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  await failed;
  expect(nodes.size).toBe(1);
});

it('a refusal does not claim that the lock is free if the node of its holder cannot be read', async () => {
  const { operator, session } = open(600);
  vi.spyOn(session, 'get').mockRejectedValue(new ZooKeeperError(ReturnCode.noAuth, 'get', NODE));
  const refused = operator.breakLock('k', { node: 'gone', token: 1n });
  await expect(refused).rejects.toThrow(
    'there is no node gone now. It is not known who holds it now.',
  );
});

it.each([
  [
    { host: 'web-1', pid: 7, label: 'ship', since: '' },
    'web-1 (pid 7) "ship" asked for it 5 s ago.',
  ],
  [undefined, 'Its node is of another library.'],
])('the log names the process from which a place was taken: %j', (holder, who) => {
  const logger = new RecordingLogger();
  const queuedAt = new Date(Date.now() - 5_000);
  const contender = { ...treeContender({ holder, queuedAt }), mode: 'write' as const };
  const brokenBy = { host: 'h', pid: 1, at: '' };
  tellBroken(logger, 'console', { key: 'k', contender, brokenBy, isForced: false });
  const [line] = logger.of('warn');
  expect(line).toMatch(/^warn: Broke the write lock "k" of node n with fencing token 1\. /);
  expect(line).toContain(`${who} Its process gave it up.`);
});
