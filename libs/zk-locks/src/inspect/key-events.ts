import type { Breaker } from '../lock/holder.js';
import { contenderId, type TreeChange } from '../tree/tree-change.js';
import type { TreeContender } from '../tree/tree-key.js';

/**
 * What happened to a contender. The deletion of a node does not show its cause, so the event is `left`,
 * for holders and waiters, until a {@link History} knows more.
 */
export type KeyEventName = 'asked' | 'granted' | 'revoked' | 'broken' | 'left';

export interface KeyEvent {
  readonly key: string;
  readonly event: KeyEventName;
  /** By the clock of ZooKeeper, in milliseconds since 1970. */
  readonly at: number;
  /** The same in all events of one contender. Each permit has an id of its own, from its grant on. */
  readonly id: string;
  readonly contender: TreeContender;
  /** For `left` and `broken`: whether the contender had the lock. */
  readonly held?: boolean;
  /**
   * The length of the wait or the hold that this event ends, in milliseconds; absent if its beginning was
   * not seen.
   */
  readonly ms?: number;
  /** The number of waiting calls after the event. */
  readonly waiting: number;
  readonly brokenBy?: Breaker;
}

interface Draft {
  /** An event without the number of waiting calls, which is only known once all events are sorted. */
  readonly event: { -readonly [Property in keyof KeyEvent]: KeyEvent[Property] };
  /** By how much the event changes the number of waiting calls. */
  readonly step: number;
}

/** The order that events with the same time must have had. */
const ORDER: Readonly<Record<KeyEventName, number>> = {
  left: 0,
  broken: 1,
  asked: 2,
  granted: 3,
  revoked: 4,
};

/**
 * The events of a key between two looks, in order. There are none for a key that a connection sees for the
 * first time, or for nodes that came and went between the looks.
 */
export function eventsOf(change: TreeChange): KeyEvent[] {
  const { before, after, hasGap } = change;
  if (!before && hasGap) return [];
  const permits = new GrantedPermits(change);
  const drafts = [...endings(change, permits), ...beginnings(change, permits)].sort(
    ({ event: a }, { event: b }) => a.at - b.at || ORDER[a.event] - ORDER[b.event],
  );
  let waiting = before?.waiting ?? 0;
  for (const { event, step } of drafts) event.waiting = waiting = Math.max(0, waiting + step);
  const last = drafts.at(-1);
  if (last) last.event.waiting = after?.waiting ?? 0;
  return drafts.map(({ event }) => event);
}

function* endings(change: TreeChange, permits: GrantedPermits): Iterable<Draft> {
  const { before, after } = change;
  if (!before) return;
  const present = new Set([...(after?.holders ?? []), ...(after?.waiters ?? [])].map(contenderId));
  const ending = (contender: TreeContender, since: number | undefined, held: boolean): Draft => {
    const at = change.toldAt(contender);
    const brokenBy = contender.holder?.brokenBy ?? change.brokenBy(contender);
    const draft = draftOf(change, brokenBy ? 'broken' : 'left', contender, at, held ? 0 : -1);
    draft.event.held = held;
    if (since !== undefined) draft.event.ms = Math.max(0, at - since);
    if (brokenBy) draft.event.brokenBy = brokenBy;
    return draft;
  };
  for (const one of before.holders) {
    if (!present.has(contenderId(one))) yield ending(one, one.heldSince?.getTime(), true);
  }
  for (const one of before.waiters) {
    const isGone = !present.has(contenderId(one)) && !permits.areOf(one);
    if (isGone) yield ending(one, one.queuedAt.getTime(), false);
  }
}

/** Does not spread objects, because there may be 10,000 events in one turn of the event loop. */
function draftOf(
  { key }: TreeChange,
  event: KeyEventName,
  contender: TreeContender,
  at: number,
  step: number,
): Draft {
  const id = contenderId(contender);
  return { event: { key, event, at, id, contender, waiting: 0 }, step };
}

/**
 * Matches new permits with the calls that have left the queue: the leases of a call are younger than its
 * place in the queue. Calls of one session with the same label cannot be told apart.
 */
class GrantedPermits {
  readonly #youngest = new Map<string, bigint>();
  readonly #first = new Map<string, TreeContender>();

  constructor({ before, after }: TreeChange) {
    if (after?.kind !== 'semaphore') return;
    for (const one of after.holders) {
      const known = this.#youngest.get(callerOf(one)) ?? 0n;
      if (one.fencingToken > known) this.#youngest.set(callerOf(one), one.fencingToken);
    }
    for (const one of before?.waiters ?? []) {
      if (!this.#first.has(callerOf(one))) this.#first.set(callerOf(one), one);
    }
  }

  areOf(waiter: TreeContender): boolean {
    return (this.#youngest.get(callerOf(waiter)) ?? 0n) > waiter.fencingToken;
  }

  /** The place in the queue of the call that got a permit, if it was seen. */
  placeOf(permit: TreeContender): TreeContender | undefined {
    const place = this.#first.get(callerOf(permit));
    return place && place.fencingToken < permit.fencingToken ? place : undefined;
  }
}

const callerOf = ({ session = '', holder }: TreeContender): string =>
  `${session} ${holder?.label ?? ''}`;

function* beginnings(change: TreeChange, permits: GrantedPermits): Iterable<Draft> {
  const { before, after, seenAt } = change;
  if (!after) return;
  const held = new Map(before?.holders.map((one) => [contenderId(one), one]));
  const waited = new Set(before?.waiters.map(contenderId));
  for (const contender of after.holders) {
    const id = contenderId(contender);
    const known = held.get(id);
    if (!known) {
      const at = Math.max(contender.heldSince?.getTime() ?? seenAt, contender.queuedAt.getTime());
      const asked = permits.placeOf(contender) ?? contender;
      const wasWaiting = waited.has(id) || asked !== contender;
      const draft = draftOf(change, 'granted', contender, at, wasWaiting ? -1 : 0);
      draft.event.ms = Math.max(0, at - asked.queuedAt.getTime());
      yield draft;
    }
    const { revokedAt } = contender.holder ?? {};
    if (revokedAt !== undefined && known && known.holder?.revokedAt === undefined) {
      yield draftOf(change, 'revoked', contender, seenAt, 0);
    }
  }
  for (const contender of after.waiters) {
    if (waited.has(contenderId(contender))) continue;
    const at = Math.min(contender.queuedAt.getTime(), seenAt);
    yield draftOf(change, 'asked', contender, at, 1);
  }
}
