import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { expect, onTestFinished, vi } from 'vitest';
import { Locks, type LocksOptions, LockTimeoutError } from 'zk-locks';
import { onlyFor } from '../../libs/zk-client/src/port/user.js';
import type { Session } from '../../libs/zk-client/src/session/session.js';
import type { FaultProxy } from './fault-proxy.js';
import { InspectClient } from './inspect-client.js';
import { leftOf } from './left-of.js';
import { LockWorker } from './lock-worker.js';
import { RecordingLogger } from './recording-logger.js';
import { sharedServer, uniqueRoot } from './shared-server.js';
import { waitFor } from './wait-for.js';

/** Sessions that expire quickly. The servers that tests start have a tick of 500 ms. */
export const shortSession = { sessionTimeoutMs: 2_000, tickTimeMs: 500 } as const;

/**
 * Sessions that expire only when a test wants it, even on a busy machine: the report of a loss
 * precedes their end by more than a second.
 */
export const briefSession = { sessionTimeoutMs: 4_000, tickTimeMs: 500 } as const;

/** Locks with access to their session. */
export class TestLocks extends Locks {
  override get session(): Session {
    return super.session as Session;
  }
}

/** Locks of this process, closed after the test. */
export async function openLocks(options: Partial<LocksOptions> = {}): Promise<TestLocks> {
  const locks = new TestLocks({ servers: sharedServer().connectString, ...options });
  onTestFinished(() => locks.close());
  await locks.start();
  return locks;
}

/** Locks that have not been started, with what they log; closed after the test. */
export function newLogged(options: Partial<LocksOptions> = {}) {
  const logger = new RecordingLogger();
  const locks = new TestLocks({ servers: sharedServer().connectString, ...options }, logger);
  onTestFinished(() => locks.close());
  return { locks, logger };
}

/** As {@link openLocks}, with what they log. */
export async function openLogged(options: Partial<LocksOptions> = {}) {
  const logged = newLogged(options);
  await logged.locks.start();
  return logged;
}

/**
 * Gives new lock nodes an ACL that other clients may change. With the default client, only a
 * superuser could hide a node.
 */
export function letNodesBeHidden({ session }: TestLocks): void {
  vi.spyOn(session, 'lockAcl', 'get').mockReturnValue(onlyFor('world', 'anyone'));
}

/** A lock worker, ended after the test. */
export async function openWorker(options: Partial<ZkLockModuleOptions> = {}): Promise<LockWorker> {
  const worker = await LockWorker.start({ servers: sharedServer().connectString, ...options });
  onTestFinished(() => worker.end());
  return worker;
}

/** An observer, closed after the test. */
export async function openInspector(
  connectString = sharedServer().connectString,
): Promise<InspectClient> {
  const inspector = await InspectClient.connect(connectString);
  onTestFinished(() => inspector.close());
  return inspector;
}

/**
 * A root of the test's own; the test fails if a lock node is left there.
 *
 * @param digest `user:password` of the user that may be the only one with access to it
 */
export function ownRoot(digest?: string): string {
  const root = uniqueRoot();
  onTestFinished(async () => {
    await using inspector = await InspectClient.connect(sharedServer().connectString);
    if (digest !== undefined) await inspector.withAuth('digest', digest);
    const left = await leftOf(async () =>
      // Directly below the root are the directories of keys, with arbitrary names.
      (await inspector.tree(root)).filter((path) =>
        /\/.+(__(READ|WRIT|r?lock)__|-lock-|-lease-)-?\d+$|\/lock$|^%guards\//.test(
          path.slice(root.length + 1),
        ),
      ),
    );
    await inspector.deleteTree(root);
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });
  return root;
}

/** Waits until a holder is told of its loss. */
export async function lossOf({ signal }: { readonly signal: AbortSignal }): Promise<unknown> {
  await waitFor(() => signal.aborted, { what: 'the holder to be told of its loss' });
  return signal.reason;
}

/** Retries until the call times out with an error that says what was awaited. */
async function refusedWith(
  what: string,
  says: (error: LockTimeoutError) => boolean,
  acquire: () => Promise<unknown>,
): Promise<LockTimeoutError> {
  return waitFor(
    async () => {
      const error = await acquire().catch((thrown: unknown) => thrown);
      if (!(error instanceof LockTimeoutError)) throw error;
      return says(error) && error;
    },
    { what: `an error that names the ${what}` },
  );
}

/** Retries until the error names the holders, which it does not always do on a busy machine. */
export const refusedWithHolders = (acquire: () => Promise<unknown>): Promise<LockTimeoutError> =>
  refusedWith('holder', ({ holders }) => holders.length > 0, acquire);

/** Retries until the error names the deadlock, which it does not always do on a busy machine. */
export const refusedWithDeadlock = (acquire: () => Promise<unknown>): Promise<LockTimeoutError> =>
  refusedWith('deadlock', ({ deadlock }) => deadlock !== undefined, acquire);

/** Resolves once this many calls of these locks are waiting. */
export async function untilWaiting(locks: TestLocks, count = 1): Promise<void> {
  await waitFor(() => locks.counts.waiting === count, { what: `${count} to wait` });
}

/** Resets the connection of these locks, and refuses new ones until `proxy.accept()`. */
export async function cutOff(proxy: FaultProxy, { session }: TestLocks): Promise<void> {
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => !session.isConnected, { what: 'the session to be suspended' });
}

/** Resets the connection of these locks, and waits for the next one. */
export async function reconnect(proxy: FaultProxy, { session }: TestLocks): Promise<void> {
  let wasSuspended = false;
  const stop = session.onState(({ name }) => (wasSuspended ||= name === 'suspended'));
  await proxy.cut();
  await waitFor(() => wasSuspended && session.isConnected, { what: 'the session to reconnect' });
  stop();
}

/** Each token is greater than the one before it. */
export function expectRising(tokens: readonly bigint[]): void {
  expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => (a < b ? -1 : 1)));
}
