import {
  orIfGone,
  retryUntilAnswered,
  type Session,
  type SessionLease,
  SessionOverError,
  type Wait,
} from 'zk-client/recipes';

/** A call that watches nodes. */
interface Watching {
  readonly session: Session;
  readonly lease: SessionLease;
  readonly wait: Wait;
}

/**
 * Resolves when one of several nodes has changed, or may have changed.
 *
 * @param setWatches sets a watch on each of `paths`. Resolves with true if the change has already
 * happened
 * @throws the error of `wait`, and of `setWatches`
 * @throws {SessionOverError}
 */
export async function nextEvent(
  { session, lease, wait }: Watching,
  paths: readonly string[],
  setWatches: () => Promise<boolean>,
): Promise<void> {
  let stop: (() => void) | undefined;
  const event = new Promise<void>((resolve, reject) => {
    const listener = {
      onNodeEvent: () => resolve(),
      onLeaseEnd: () => reject(new SessionOverError()),
    };
    stop = () => {
      for (const path of paths) session.unwatch(path, listener);
      lease.unlisten(listener);
    };
    for (const path of paths) session.watch(path, listener);
    lease.listen(listener);
    setWatches().then((hasHappened) => hasHappened && resolve(), reject);
  });
  try {
    await wait.for(event);
  } finally {
    stop?.();
  }
}

/**
 * Like {@link nextEvent}, for one node.
 *
 * @returns false if it was gone before it could be watched
 */
export async function nextChange(watching: Watching, path: string): Promise<boolean> {
  const { session, lease } = watching;
  let isThere = true;
  const setWatches = async (): Promise<boolean> => {
    // `get` rather than `exists`: a watch on an absent node would stay on the server.
    const read = retryUntilAnswered(session, lease, () =>
      session.get(lease, path, { watch: true }),
    );
    isThere = (await orIfGone(read, undefined)) !== undefined;
    return !isThere;
  };
  await nextEvent(watching, [path], setWatches);
  return isThere;
}
