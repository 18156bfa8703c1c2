import type { TreeChange } from '../tree/tree-change.js';
import type { TreeContender } from '../tree/tree-key.js';
import { eventsOf, type KeyEvent, type KeyEventName } from './key-events.js';

/** The maximum number of events that are kept of one key. */
const MOST_OF_KEY = 200;

/** The maximum number of events that are kept in total. */
const MOST = 5_000;

const MOST_GAPS = 100;

/** If all nodes of a session disappear within this time, the session has ended. */
const TOGETHER_MS = 100;

/**
 * The events of a history. A hold or a wait ends with one of these: `released` or `gave-up` if its
 * session was seen alive later; `session-ended` if the session had two or more nodes, and all of them
 * disappeared at once; `gone` if either may be the cause.
 */
export type PastEventName =
  Exclude<KeyEventName, 'left'> | 'released' | 'gave-up' | 'session-ended' | 'gone';

export interface PastEvent extends Omit<KeyEvent, 'event'> {
  readonly event: PastEventName;
}

/** A period in which nothing was seen, in milliseconds since 1970 by the clock of ZooKeeper. */
export interface HistoryGap {
  readonly from: number;
  /** Absent while the gap lasts. */
  until?: number;
}

interface SeenSession {
  /** The number of its nodes. */
  nodes: number;
  /** Ends of its holds and waits after which nothing shows that the session lives. */
  readonly ends: Set<KeyEvent>;
}

/**
 * The latest events of keys since the first look: up to 200 of each key, and 5,000 in all. They are kept
 * in memory only. A history does not see hand-overs in memory (option `cohort`), or calls that came and
 * went between two looks.
 */
export class History {
  readonly #byKey = new Map<string, KeyEvent[]>();
  /** All kept events, in order. */
  readonly #kept = new Set<KeyEvent>();
  readonly #sessions = new Map<string, SeenSession>();
  /** Ends after which the session was seen alive. */
  readonly #livedOn = new WeakSet<KeyEvent>();
  readonly #gaps: HistoryGap[] = [];
  /** Keys whose older events were dropped because the key had too many. */
  readonly #cut = new Set<string>();
  /** The time of the latest event that was dropped because there were too many in total. */
  #droppedAt = -Infinity;
  #since: number | undefined;

  /** The time of the first look; undefined before it. */
  get since(): number | undefined {
    return this.#since;
  }

  /** The periods in which nothing was seen. */
  get gaps(): readonly HistoryGap[] {
    return this.#gaps;
  }

  /** The latest events of a key, the oldest first. */
  of(key: string): PastEvent[] {
    return Array.from(this.#byKey.get(key) ?? [], (event) => this.named(event));
  }

  /** The time since which all seen events of a key are kept; undefined before the first look. */
  sinceOf(key: string): number | undefined {
    if (this.#since === undefined) return undefined;
    const first = this.#cut.has(key) ? this.#byKey.get(key)?.[0] : undefined;
    return Math.max(this.#since, first?.at ?? this.#droppedAt);
  }

  /** Adds the events of a change. @returns these events, the oldest first */
  note(change: TreeChange): readonly KeyEvent[] {
    this.#count(change);
    const events = eventsOf(change);
    // One more than is kept, so that the key is known to be cut.
    for (const event of events.slice(-MOST_OF_KEY - 1)) this.#add(event);
    return events;
  }

  /** An event, named by what is now known about its cause. */
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

  /** Called when everything has just been seen, which ends a gap. */
  look(now: number): void {
    this.#since ??= now;
    const gap = this.#gaps.at(-1);
    if (gap) gap.until ??= now;
  }

  /** Called when nothing will be seen until {@link look}, which begins a gap. */
  lookAway(now: number): void {
    const isAway = this.#gaps.at(-1)?.until === undefined && this.#gaps.length > 0;
    if (this.#since === undefined || isAway) return;
    this.#gaps.push({ from: now });
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift();
  }

  /** Called before another tree is looked at, whose first look shows all nodes again. */
  forgetNodes(): void {
    for (const [id, session] of this.#sessions) {
      session.nodes = 0;
      if (session.ends.size === 0) this.#sessions.delete(id);
    }
  }

  /** Called when a session is known to be alive. */
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
    const { session } = event.contender;
    if (event.event === 'left' && session !== undefined) this.#session(session).ends.add(event);
    if (ofKey.length > MOST_OF_KEY) {
      this.#cut.add(event.key);
      this.#dropFirst(event.key);
    } else if (this.#kept.size > MOST) this.#dropOldest();
  }

  #dropOldest(): void {
    const [event] = this.#kept;
    if (!event) return;
    this.#droppedAt = Math.max(this.#droppedAt, event.at);
    this.#dropFirst(event.key);
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
    // In the dialect `single-node`, all nodes of a key have the same name.
    const nameOf = ({ session = '', node }: TreeContender): string => `${session} ${node}`;
    const known = new Set(gone.map(nameOf));
    for (const contender of come) {
      const { session } = contender;
      if (session === undefined || known.delete(nameOf(contender))) continue;
      this.#session(session).nodes++;
      this.livesOn(session);
    }
    for (const contender of gone) {
      const { session } = contender;
      const isGone = session !== undefined && known.has(nameOf(contender));
      const seen = isGone && this.#sessions.get(session);
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
