import { expect, it, vi } from 'vitest';
import type { Lock } from 'zk-locks';
import type { FaultProxy } from '../support/fault-proxy.js';
import type { TestLocks } from '../support/locks.js';
import { openInspector, openLocks, ownRoot, untilWaiting } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { makeLasting } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/*
 * The answer that grants a call is late: in the meantime an operator has evicted the call, and
 * another process has the lock.
 */

/** Sends the next request of a kind, and holds back everything that the server sends after that. */
function holdNextAnswer(
  { session }: TestLocks,
  proxy: FaultProxy,
  kind: 'get' | 'list',
): Promise<void> {
  const send = session[kind].bind(session) as (...request: unknown[]) => Promise<never>;
  return new Promise((resolve) => {
    const spy = vi.spyOn(session, kind).mockImplementation(async (...request: unknown[]) => {
      spy.mockRestore();
      await proxy.freezeTowards('client');
      const answer = send(...request);
      resolve();
      return answer;
    });
  });
}

/** Simulates that the process stalled for a while whenever a list was answered. */
function forgetNewsBehindLists({ session }: TestLocks): void {
  const list = session.list.bind(session);
  vi.spyOn(session, 'list').mockImplementation(async (...request) => {
    const names = await list(...request);
    session.news.forget();
    return names;
  });
}

/** A process behind a proxy, and others without one. */
async function open() {
  const root = ownRoot();
  const proxy = await openProxy();
  const inspector = await openInspector();
  const directory = `${root}/k`;
  // Persistent, so that no server removes it between two calls.
  await makeLasting({ root, directory, inspector });
  const nodes = (): Promise<string[]> => inspector.childrenIfAny(directory);
  const others = await openLocks({ root });
  const slow = await openLocks({ root, servers: proxy.connectString });
  return { proxy, nodes, others, slow };
}

async function breakHolders(others: TestLocks): Promise<void> {
  for (const { node, fencingToken: token } of (await others.inspect('k')).holders) {
    await others.breakLock('k', { node, token });
  }
}

it.each([
  ['the event of the deletion before it', 'event'],
  ['the answer to a list', 'list'],
  ['the answer to a read of its node, which it watched,', 'get'],
] as const)(
  'a call that has been broken is not granted the lock by %s that arrives late',
  async (_, late) => {
    const { proxy, nodes, others, slow } = await open();
    const reads = vi.spyOn(slow.session, 'get');
    const first = await others.acquire('k');
    let granted: Lock | undefined;
    const granting = slow.acquire('k', { mode: 'read' }).then((lock) => (granted = lock));
    await untilWaiting(slow);
    await waitFor(async () => (await nodes()).length === 2, { what: 'the call to queue up' });
    if (late === 'get') {
      // A call reads its own node after it has waited for a while.
      const isWatching = (): boolean => reads.mock.calls.some(([, path]) => path.includes('READ'));
      await waitFor(isWatching, { what: 'the call to read its own node' });
      forgetNewsBehindLists(slow);
    }
    reads.mockRestore();
    // When a node that was written to is deleted, the client asks for a list.
    if (late !== 'event') await others.revoke('k');
    // Answered after everything that the call has asked.
    await slow.list();
    if (late === 'event') await proxy.freezeTowards('client');
    const held = late === 'event' ? undefined : holdNextAnswer(slow, proxy, late);
    await first.release();
    await held;
    await breakHolders(others);
    const lock = await others.acquire('k');
    await proxy.thaw();
    await waitFor(async () => granted !== undefined || (await nodes()).length > 1, {
      what: 'the call to queue up again',
    });
    expect(granted).toBeUndefined();
    await lock.release();
    await (await granting).release();
  },
);

it('a call that has been broken is not granted the lock by the late answer to its creation, even if a later request was answered at once', async () => {
  const { proxy, nodes, others, slow } = await open();
  await proxy.freezeTowards('client');
  let granted: Lock | undefined;
  const granting = slow.acquire('k').then((lock) => (granted = lock));
  await waitFor(async () => (await nodes()).length === 1, { what: 'the call to queue up' });
  await breakHolders(others);
  const lock = await others.acquire('k');
  const asked = slow.list();
  await proxy.thaw();
  await asked;
  await waitFor(async () => granted !== undefined || (await nodes()).length > 1, {
    what: 'the call to queue up again',
  });
  expect(granted).toBeUndefined();
  await lock.release();
  await (await granting).release();
});
