import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Clock } from '../../../zk-client/src/session/clock.js';
import { FreshNews } from '../../../zk-client/src/session/fresh-news.js';
import type { Session } from '../../../zk-client/src/session/session.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import type { QueueContext } from '../queue/lock-node.js';
import { Wait } from '../../../zk-client/src/session/wait.js';
import { PermitAgreement } from './permit-agreement.js';
import { PermitClaim } from './permit-claim.js';

/** A claim of two permits of two, on a session that answers at once. */
function open() {
  const names: string[] = [];
  const removed: string[] = [];
  const stopped = { count: 0 };
  const watched = new Set<unknown>();
  let leave!: () => void;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const caller = new AbortController();
  const lease = {
    sessionId: 'ours',
    get holding() {
      return this;
    },
    listen: () => undefined,
    unlisten: () => stopped.count++,
    isValid: () => true,
    whenCertain: () => Promise.resolve(),
  };
  const session = {
    create: (
      _: SessionLease,
      prefix: string,
      _data: Buffer,
      _mode: string,
      { onSent }: { onSent: () => void },
    ) => {
      const path = `${prefix}${String(names.length).padStart(10, '0')}`;
      names.push(path.slice('/k/leases/'.length));
      onSent();
      return Promise.resolve({ path });
    },
    get: () =>
      Promise.resolve({ data: Buffer.alloc(0), stat: { czxid: 1n, ephemeralOwner: 'ours' } }),
    news: new FreshNews(new Clock()),
    hasFreshNews: () => true,
    watch: (_: string, listener: unknown) => void watched.add(listener),
    unwatch: (_: string, listener: unknown) => void watched.delete(listener),
  };
  const context = {
    session,
    directories: { list: () => Promise.resolve([...names]) },
    remover: {
      remove: (_: SessionLease, path: string) => {
        removed.push(path);
        return path === '/k/locks/turn' ? left : Promise.resolve();
      },
    },
  };
  const wait = new Wait({
    timeoutMs: Infinity,
    answerWithinMs: 1_000,
    onTimeout: () => new Error('timeout'),
    signal: caller.signal,
    onAbort: () => new Error('aborted'),
  });
  const count = { kind: 'fixed', permits: 2 } as const;
  const answering = session as unknown as Session;
  const agreement = new PermitAgreement(answering, 'k', '/k/leases', count);
  const claim = new PermitClaim(
    context as unknown as QueueContext,
    { key: 'k', count, agreement, take: 2 },
    { lease: lease as unknown as SessionLease, path: '/k/locks/turn' },
    {
      directory: '/k/leases',
      data: '',
      prefix: (guid: string) => `_c_${guid}-lease-`,
    },
    wait,
  );
  const leases = (): string[] => names.map((name) => `/k/leases/${name}`);
  return { claim, caller, leave, leases, removed, stopped, watched };
}

it('releases everything, and watches nothing, if the wait ends between the last answer and the grant', async () => {
  const { claim, caller, leave, leases, removed, stopped, watched } = open();
  const claiming = claim.run();
  await nextTurn();
  // It has its permits, and is about to be told.
  expect(removed).toEqual(['/k/locks/turn']);
  expect(watched.size).toBe(2);
  caller.abort();
  leave();
  await expect(claiming).rejects.toThrow('aborted');
  expect(removed.slice(1)).toEqual(leases());
  expect(leases()).toHaveLength(2);
  expect(stopped.count).toBe(1);
  // If the session ends now, no event will say that they are gone.
  expect(watched.size).toBe(0);
});
