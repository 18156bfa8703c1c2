import { join } from '../../client/node-path.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';

/**
 * For so long a node may still come: as long as a follower that was cut off may hand over what it
 * held back, `syncLimit` ticks (10 s with ZooKeeper's defaults), and then some.
 */
const EXPECTED_MS = 60_000;

/** Between two looks: this part of the session timeout. */
const PERIOD = 1 / 6;

interface LateNode {
  readonly lease: SessionLease;
  readonly directory: string;
  /** The whole name, or what comes before its sequence number. */
  readonly name: string;
  readonly until: number;
  readonly forget: () => void;
}

export interface LateNodesContext {
  readonly session: Session;
  readonly remove: (lease: SessionLease, path: string) => void;
}

/**
 * Looks out for nodes whose creation was given up, since a look at the directory did not show them,
 * and removes them when they come all the same.
 *
 * A follower that was cut off, or stood still, hands over late what a connection had asked of it. The
 * leader refuses that where the session has moved to another server; but when the session is just
 * coming back to the same follower, it may take the news of this, which overtakes its queue of
 * requests, before it looks at them (`LearnerHandler`: REVALIDATE is handled at once, REQUEST is
 * queued). Nobody would know of the node, and its session lives.
 */
export class LateNodes {
  readonly #expected = new Set<LateNode>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: LateNodesContext) {}

  /** @param name the whole name, or what comes before its sequence number; nobody uses it any more */
  expect(lease: SessionLease, directory: string, name: string): void {
    // With its session, whatever was asked for in it is refused. It may be over by now.
    const listener = { onLeaseEnd: () => this.#expected.delete(late) };
    const forget = (): void => {
      this.#expected.delete(late);
      lease.unlisten(listener);
    };
    const until = performance.now() + EXPECTED_MS;
    const late: LateNode = { lease, directory, name, until, forget };
    this.#expected.add(late);
    lease.listen(listener);
    this.#schedule();
  }

  stop(): void {
    for (const late of this.#expected) late.forget();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const [first] = this.#expected;
    if (!first || this.#timer) return;
    this.#timer = setTimeout(() => void this.#look(), first.lease.timeoutMs * PERIOD);
    // Nothing to stay for: the node would go with its session.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const now = performance.now();
    for (const late of this.#expected) if (late.until < now) late.forget();
    const directories = new Set(Array.from(this.#expected, ({ directory }) => directory));
    await Promise.all(Array.from(directories, (directory) => this.#lookInto(directory)));
    this.#timer = undefined;
    this.#schedule();
  }

  async #lookInto(directory: string): Promise<void> {
    const expected = [...this.#expected].filter((late) => late.directory === directory);
    const [first] = expected;
    if (!first) return;
    // Without an answer there is the next look.
    const names = await this.context.session.list(first.lease, directory).catch(() => []);
    for (const late of expected) {
      const come = names.find((name) => name.startsWith(late.name));
      if (come === undefined || !this.#expected.has(late)) continue;
      late.forget();
      this.context.remove(late.lease, join(directory, come));
    }
  }
}
