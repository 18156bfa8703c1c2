import { setImmediate as nextTurn } from 'node:timers/promises';
import { orIfGone } from '../port/client-errors.js';
import { join } from '../port/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';

/** The interval between two looks, as a fraction of the session timeout, and of the wait so far. */
const PERIOD = 1 / 6;

/** How many directories are listed at once: each request takes time of the event loop. */
const LISTS_AT_ONCE = 100;

interface LateNode {
  readonly lease: SessionLease;
  readonly directory: string;
  /** The whole name, or the part before its sequence number. */
  readonly name: string;
  readonly since: number;
  /** Used instead of the common function that removes a node. */
  readonly remove: (() => void) | undefined;
  readonly forget: () => void;
}

/**
 * Watches for nodes whose creation was given up, because they did not show up in their directory,
 * and removes them if they appear later.
 *
 * A follower that was cut off, or was stopped, forwards late what a connection had requested. The
 * leader refuses that if the session has moved to another server. But if the session is just
 * returning to the same follower, the leader may process this news first, because it overtakes the
 * follower's queue of requests (`LearnerHandler`: REVALIDATE is handled immediately, REQUEST is
 * queued). Then no client would know of the node, although its session lives.
 *
 * The leader disconnects a follower that is silent for `syncLimit × tickTime` (`LearnerHandler`:
 * `setSoTimeout(syncTimeout())`), so nothing is forwarded later than that. A leader queues what it
 * has read without a time limit (`PrepRequestProcessor`).
 */
export class LateNodes {
  readonly #expected = new Set<LateNode>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
  #dueAt = 0;

  /** @param lateCreateTimeoutMs how long a node may still appear */
  constructor(
    private readonly session: Session,
    private readonly lateCreateTimeoutMs: number,
    private readonly remove: (lease: SessionLease, path: string) => void,
  ) {}

  /** @param name the whole name, or the part before its sequence number; no longer in use */
  expect(lease: SessionLease, directory: string, name: string, remove?: () => void): void {
    // All requests of a session are refused after its end. It may have ended by now.
    const listener = { onLeaseEnd: () => this.#expected.delete(late) };
    const forget = (): void => {
      this.#expected.delete(late);
      lease.unlisten(listener);
    };
    const late: LateNode = { lease, directory, name, since: performance.now(), remove, forget };
    this.#expected.add(late);
    lease.listen(listener);
    this.#schedule(late);
  }

  stop(): void {
    for (const late of this.#expected) late.forget();
    clearTimeout(this.#timer);
  }

  #schedule(newest = [...this.#expected].at(-1)): void {
    if (!newest) return;
    const { lease, since } = newest;
    // Most late nodes appear soon or never.
    const waitedMs = Math.min(performance.now() - since, lease.timeoutMs / PERIOD);
    const periodMs = Math.max(lease.timeoutMs, waitedMs) * PERIOD;
    const dueAt = performance.now() + periodMs;
    // Others have been waited for longer, so that the next look at them may be far off.
    if (this.#timer && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#look(), periodMs);
    // The process need not stay alive for it: the node would disappear with its session.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const byDirectory = new Map<string, LateNode[]>();
    for (const late of this.#expected) {
      const others = byDirectory.get(late.directory);
      if (others) others.push(late);
      else byDirectory.set(late.directory, [late]);
    }
    const directories = [...byDirectory];
    for (let from = 0; from < directories.length; from += LISTS_AT_ONCE) {
      const some = directories.slice(from, from + LISTS_AT_ONCE);
      await Promise.all(some.map(([directory, expected]) => this.#lookInto(directory, expected)));
    }
    this.#timer = undefined;
    this.#schedule();
  }

  async #lookInto(directory: string, expected: readonly LateNode[]): Promise<void> {
    const [first] = expected;
    if (!first) return;
    const oldest = performance.now() - this.lateCreateTimeoutMs;
    // Without an answer, there is another look, even for those whose time is up.
    const names = await orIfGone(this.session.list(first.lease, directory), []).catch(
      () => undefined,
    );
    if (!names) return;
    const come = await byBeginning(names, new Set(expected.map(({ name }) => name)));
    for (const late of expected) {
      const node = come.get(late.name);
      if (!this.#expected.has(late) || (node === undefined && late.since >= oldest)) continue;
      late.forget();
      if (node === undefined) continue;
      if (late.remove) late.remove();
      else this.remove(late.lease, join(directory, node));
    }
  }
}

/** Names of a directory, of which this many are examined in one turn of the event loop. */
const NAMES_A_TURN = 10_000;

/** Finds the name that begins with each of `beginnings`, of which there may be as many as names. */
async function byBeginning(
  names: readonly string[],
  beginnings: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const lengths = new Set(Array.from(beginnings, ({ length }) => length));
  const found = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (index % NAMES_A_TURN === NAMES_A_TURN - 1) await nextTurn();
    for (const length of lengths) {
      const beginning = name.slice(0, length);
      if (beginnings.has(beginning)) found.set(beginning, name);
    }
  }
  return found;
}
