import { join } from '../port/node-path.js';
import { orIfGone } from '../session/session-requests.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';

/** Between two looks: this part of the session timeout, and of the wait so far. */
const PERIOD = 1 / 6;

interface LateNode {
  readonly lease: SessionLease;
  readonly directory: string;
  /** The whole name, or what comes before its sequence number. */
  readonly name: string;
  readonly since: number;
  /** In place of what removes all others. */
  readonly remove: (() => void) | undefined;
  readonly forget: () => void;
}

/**
 * Looks out for nodes whose creation was given up, since a look at the directory did not show them,
 * and removes them when they come later.
 *
 * A follower that was cut off, or stood still, hands over late what a connection had asked of it. The
 * leader refuses that where the session has moved to another server; but when the session is just
 * coming back to the same follower, it may take the news of this, which overtakes its queue of
 * requests, before it looks at them (`LearnerHandler`: REVALIDATE is handled at once, REQUEST is
 * queued). No client would know of the node, and its session lives.
 *
 * The leader hangs up on a follower that is silent for `syncLimit × tickTime`
 * (`LearnerHandler`: `setSoTimeout(syncTimeout())`), so nothing is handed over later than that. A
 * leader queues what it has read without a limit of time (`PrepRequestProcessor`).
 */
export class LateNodes {
  readonly #expected = new Set<LateNode>();
  #timer: NodeJS.Timeout | undefined;

  /** @param lateCreateTimeoutMs how long a node may still come */
  constructor(
    private readonly session: Session,
    private readonly lateCreateTimeoutMs: number,
    private readonly remove: (lease: SessionLease, path: string) => void,
  ) {}

  /** @param name the whole name, or what comes before its sequence number; no longer in use */
  expect(lease: SessionLease, directory: string, name: string, remove?: () => void): void {
    // With its session, whatever was asked for in it is refused. It may be over by now.
    const listener = { onLeaseEnd: () => this.#expected.delete(late) };
    const forget = (): void => {
      this.#expected.delete(late);
      lease.unlisten(listener);
    };
    const late: LateNode = { lease, directory, name, since: performance.now(), remove, forget };
    this.#expected.add(late);
    lease.listen(listener);
    this.#schedule();
  }

  stop(): void {
    for (const late of this.#expected) late.forget();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const newest = [...this.#expected].at(-1);
    if (!newest || this.#timer) return;
    const { lease, since } = newest;
    // Most come soon or never.
    const waitedMs = Math.min(performance.now() - since, lease.timeoutMs / PERIOD);
    const periodMs = Math.max(lease.timeoutMs, waitedMs) * PERIOD;
    this.#timer = setTimeout(() => void this.#look(), periodMs);
    // Nothing to stay for: the node would go with its session.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const directories = new Set(Array.from(this.#expected, ({ directory }) => directory));
    await Promise.all(Array.from(directories, (directory) => this.#lookInto(directory)));
    this.#timer = undefined;
    this.#schedule();
  }

  async #lookInto(directory: string): Promise<void> {
    const expected = [...this.#expected].filter((late) => late.directory === directory);
    const [first] = expected;
    if (!first) return;
    const oldest = performance.now() - this.lateCreateTimeoutMs;
    // Without an answer there is the next look, also for those whose time is up.
    const names = await orIfGone(this.session.list(first.lease, directory), []).catch(
      () => undefined,
    );
    if (!names) return;
    for (const late of expected) {
      const come = names.find((name) => name.startsWith(late.name));
      if (!this.#expected.has(late) || (come === undefined && late.since >= oldest)) continue;
      late.forget();
      if (come === undefined) continue;
      if (late.remove) late.remove();
      else this.remove(late.lease, join(directory, come));
    }
  }
}
