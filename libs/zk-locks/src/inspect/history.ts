import type { TreeChange } from '../tree/tree-change.js';
import { eventsOf, type KeyEvent, type KeyEventName } from './key-events.js';

/** The most events that are kept of one key. */
const MOST_OF_KEY = 200;

/** The most events that are kept in all. */
const MOST = 5_000;

const MOST_GAPS = 100;

/** Nodes of one session that go within this time, and are all that it had, have ended with it. */
const TOGETHER_MS = 100;

/**
 * What is known of the end of a hold or a wait: `released` or `gave-up` while the session lives on,
 * `session-ended` where two or more nodes, all that the session had, have gone at once; `gone` is either.
 */
export type PastEventName =
  Exclude<KeyEventName, 'left'> | 'released' | 'gave-up' | 'session-ended' | 'gone';

export interface PastEvent extends Omit<KeyEvent, 'event'> {
  readonly event: PastEventName;
}

/** A time in which nothing was seen, in milliseconds since 1970 by the clock of ZooKeeper. */
export interface HistoryGap {
  readonly from: number;
  /** Absent while it lasts. */
  until?: number;
}

interface SeenSession {
  /** The number of its nodes. */
  nodes: number;
  /** Ends of its holds and waits after which nothing shows that the session lives. */
  readonly ends: Set<KeyEvent>;
}

/**
 * What has happened to keys since it was begun to look: the latest 200 events of each key, and 5,000 in all.
 * Nothing is stored. Hand-overs in memory, by the option `cohort`, are not seen, and what came and went
 * between two looks is not either.
 */
export class History {
  readonly #byKey = new Map<string, KeyEvent[]>();
  /** All that are kept, */
  readonly #kept = new Set<KeyEvent>();
  /** and in their order, from `#oldest` on, with others that were dropped. */
  #order: KeyEvent[] = [];
  #oldest = 0;
  readonly #sessions = new Map<string, SeenSession>();
  /** Ends of sessions that have lived on. */
  readonly #livedOn = new WeakSet<KeyEvent>();
  readonly #gaps: HistoryGap[] = [];
  /** Keys of which events were dropped since there were too many of them. */
  readonly #cut = new Set<string>();
  /** The time of the latest event that was dropped since there were too many in all. */
  #droppedAt = -Infinity;
  #since: number | undefined;

  /** When it was begun to look; undefined before. */
  get since(): number | undefined {
    return this.#since;
  }

  /** The times in which nothing was seen. */
  get gaps(): readonly HistoryGap[] {
    return this.#gaps;
  }

  /** The latest events of a key, the oldest first. */
  of(key: string): PastEvent[] {
    return Array.from(this.#byKey.get(key) ?? [], (event) => this.named(event));
  }

  /** Since when all events of a key are kept, as far as they were seen; undefined before the first look. */
  sinceOf(key: string): number | undefined {
    if (this.#since === undefined) return undefined;
    const first = this.#cut.has(key) ? this.#byKey.get(key)?.[0] : undefined;
    return Math.max(this.#since, first?.at ?? this.#droppedAt);
  }

  /** @returns what has happened, the oldest first */
  note(change: TreeChange): readonly KeyEvent[] {
    this.#count(change);
    const events = eventsOf(change);
    for (const event of events) this.#add(event);
    return events;
  }

  /** As much as is known of an event now. */
  named(event: KeyEvent): PastEvent {
    const { event: name, contender, held } = event;
    if (name !== 'left') return { ...event, event: name };
    const session = this.#sessions.get(contender.session ?? '');
    if (session && session.nodes > 0) this.livesOn(contender.session ?? '');
    if (this.#livedOn.has(event)) return { ...event, event: held ? 'released' : 'gave-up' };
    const together = Array.from(session?.ends ?? []).filter(
      ({ at }) => Math.abs(at - event.at) <= TOGETHER_MS,
    );
    return { ...event, event: together.length > 1 ? 'session-ended' : 'gone' };
  }

  /** All was seen at this moment. */
  look(now: number): void {
    this.#since ??= now;
    const gap = this.#gaps.at(-1);
    if (gap) gap.until ??= now;
  }

  /** From now on nothing is seen, until {@link look}. */
  lookAway(now: number): void {
    const isAway = this.#gaps.at(-1)?.until === undefined && this.#gaps.length > 0;
    if (this.#since === undefined || isAway) return;
    this.#gaps.push({ from: now });
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift();
  }

  /** Another tree is looked at: its first look shows all nodes again. */
  forgetNodes(): void {
    for (const [id, session] of this.#sessions) {
      session.nodes = 0;
      if (session.ends.size === 0) this.#sessions.delete(id);
    }
  }

  /** A session that is known to live. */
  livesOn(session: string): void {
    const seen = this.#sessions.get(session);
    for (const end of seen?.ends ?? []) this.#livedOn.add(end);
    seen?.ends.clear();
  }

  #add(event: KeyEvent): void {
    const ofKey = this.#byKey.get(event.key) ?? [];
    ofKey.push(event);
    this.#byKey.set(event.key, ofKey);
    this.#kept.add(event);
    this.#order.push(event);
    const { session } = event.contender;
    if (event.event === 'left' && session !== undefined) this.#session(session).ends.add(event);
    if (ofKey.length > MOST_OF_KEY) {
      this.#cut.add(event.key);
      this.#dropFirst(event.key);
    } else if (this.#kept.size > MOST) this.#dropOldest();
    if (this.#order.length > 3 * MOST) {
      this.#order = this.#order.filter((one) => this.#kept.has(one));
      this.#oldest = 0;
    }
  }

  #dropOldest(): void {
    for (; this.#oldest < this.#order.length; this.#oldest++) {
      const event = this.#order[this.#oldest];
      if (!event || !this.#kept.has(event)) continue;
      this.#droppedAt = Math.max(this.#droppedAt, event.at);
      this.#dropFirst(event.key);
      return;
    }
  }

  #dropFirst(key: string): void {
    const ofKey = this.#byKey.get(key);
    const event = ofKey?.shift();
    if (!event) return;
    this.#kept.delete(event);
    if (ofKey?.length === 0) {
      this.#byKey.delete(key);
      this.#cut.delete(key);
    }
    const { session } = event.contender;
    if (session === undefined) return;
    this.#sessions.get(session)?.ends.delete(event);
    this.#leave(session);
  }

  /** How many nodes each session has. */
  #count({ before, after }: TreeChange): void {
    const come = [...(after?.holders ?? []), ...(after?.waiters ?? [])];
    const gone = [...(before?.holders ?? []), ...(before?.waiters ?? [])];
    const known = new Set(gone.map(({ node }) => node));
    for (const { session, node } of come) {
      if (session === undefined || known.delete(node)) continue;
      this.#session(session).nodes++;
      this.livesOn(session);
    }
    for (const { session, node } of gone) {
      const seen = session !== undefined && known.has(node) && this.#sessions.get(session);
      if (!seen) continue;
      seen.nodes--;
      this.#leave(session);
    }
  }

  #session(id: string): SeenSession {
    const session = this.#sessions.get(id) ?? { nodes: 0, ends: new Set() };
    this.#sessions.set(id, session);
    return session;
  }

  #leave(id: string): void {
    const session = this.#sessions.get(id);
    if (session && session.nodes <= 0 && session.ends.size === 0) this.#sessions.delete(id);
  }
}
