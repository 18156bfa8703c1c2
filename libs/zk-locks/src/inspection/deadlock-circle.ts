import { verticesOnCircles } from './strongly-connected.js';

/** A queue in which calls wait. */
export interface Line {
  /** The name of its directory below the root. */
  readonly segment: string;
  /** Its nodes, by name. */
  readonly places: ReadonlyMap<string, { readonly sequence: number }>;
}

/** A waiting call, as far as circles are concerned. */
export interface WaitingCall {
  readonly queue: Line;
  /** The call waits for the nodes of its queue up to this number. */
  readonly reach: number;
  /** The nodes of the surrounding locks, as paths below the root. */
  readonly holds: readonly string[];
}

export interface CircleStep<Call> {
  readonly call: Call;
  /** The node that this call holds and the previous call waits for. */
  readonly held: string;
}

/** Each call waits for what the next one holds; the last one waits for what the first one holds. */
export type Circle<Call> = readonly CircleStep<Call>[];

const MOST_CIRCLES = 10;

/** A node of a queue that calls hold. */
interface HeldNode<Call> {
  readonly path: string;
  readonly sequence: number;
  readonly holders: Call[];
  /** The previous held node in its queue. */
  before: HeldNode<Call> | undefined;
}

/**
 * Searches for circles among waiting calls. It knows nothing about time: the calls may not have
 * waited at the same moment.
 *
 * What calls hold is data that other programs may have written. A call waits for all held nodes of
 * its queue up to a number, so these form a row: a call that waits for one of them also waits for
 * those before it. This keeps the number of edges linear in calls and held nodes, where edges
 * between pairs of calls would be quadratic.
 */
export class WaitGraph<Call extends WaitingCall> {
  /** The held nodes of each queue, in order. */
  readonly #rows = new Map<string, HeldNode<Call>[]>();

  constructor(private readonly calls: readonly Call[]) {
    const queues = new Map(calls.map(({ queue }) => [queue.segment, queue]));
    const known = new Map<string, HeldNode<Call>>();
    for (const call of calls) {
      for (const path of new Set(call.holds)) {
        const held = known.get(path) ?? this.#findNode(queues, path);
        held?.holders.push(call);
        if (held) known.set(path, held);
      }
    }
    for (const row of this.#rows.values()) {
      row.sort((a, b) => a.sequence - b.sequence);
      for (const [index, held] of row.entries()) held.before = row[index - 1];
    }
  }

  /** A shortest circle with `start` as its first call. */
  circleThrough(start: Call): Circle<Call> | undefined {
    const reached = new Map<Call, Reached<Call>>();
    const passed = new Map<string, number>();
    const next = [start];
    for (const before of next) {
      const { segment } = before.queue;
      const { row, end } = this.#waitedFor(before);
      const nodes = row.slice(passed.get(segment) ?? 0, end);
      passed.set(segment, Math.max(passed.get(segment) ?? 0, end));
      for (const { path: held, holders } of nodes) {
        for (const call of holders) {
          if (reached.has(call)) continue;
          reached.set(call, { before, held });
          if (call === start) return pathTo(start, reached);
          next.push(call);
        }
      }
    }
    return undefined;
  }

  /**
   * Finds circles so that every call on any circle is in one of them, unless there are too many.
   * Each circle is found once.
   */
  circles(): Circle<Call>[] {
    const found: Circle<Call>[] = [];
    const isNamed = new Set<Call>();
    const onCircles = verticesOnCircles<Call | HeldNode<Call>>(this.calls, (vertex) =>
      'holders' in vertex ? this.#behind(vertex) : this.#lastWaitedFor(vertex),
    );
    for (const call of this.calls) {
      if (isNamed.has(call) || !onCircles.has(call)) continue;
      const circle = this.circleThrough(call) ?? [];
      for (const step of circle) isNamed.add(step.call);
      found.push(circle);
      if (found.length === MOST_CIRCLES) break;
    }
    return found;
  }

  /** Undefined if the node does not exist, or no call waits in its queue. */
  #findNode(queues: ReadonlyMap<string, Line>, path: string): HeldNode<Call> | undefined {
    const slash = path.indexOf('/');
    const segment = path.slice(0, slash);
    const place = queues.get(segment)?.places.get(path.slice(slash + 1));
    if (!place) return undefined;
    const held = { path, sequence: place.sequence, holders: [], before: undefined };
    const row = this.#rows.get(segment);
    if (row) row.push(held);
    else this.#rows.set(segment, [held]);
    return held;
  }

  /** The row in which a call waits, and the end of the part that it waits for. */
  #waitedFor({ queue, reach }: Call): { row: readonly HeldNode<Call>[]; end: number } {
    const row = this.#rows.get(queue.segment) ?? [];
    let [from, end] = [0, row.length];
    while (from < end) {
      const middle = (from + end) >> 1;
      if ((row[middle]?.sequence ?? Infinity) <= reach) from = middle + 1;
      else end = middle;
    }
    return { row, end };
  }

  #lastWaitedFor(call: Call): HeldNode<Call>[] {
    const { row, end } = this.#waitedFor(call);
    const last = row[end - 1];
    return last ? [last] : [];
  }

  /** What the calls that wait for a node wait for. */
  *#behind({ holders, before }: HeldNode<Call>): Iterable<Call | HeldNode<Call>> {
    yield* holders;
    if (before) yield before;
  }
}

interface Reached<Call> {
  readonly before: Call;
  readonly held: string;
}

function pathTo<Call>(start: Call, reached: ReadonlyMap<Call, Reached<Call>>): Circle<Call> {
  const steps: CircleStep<Call>[] = [];
  let call = start;
  do {
    const step = reached.get(call);
    if (!step) break;
    steps.push({ call, held: step.held });
    call = step.before;
  } while (call !== start);
  // The start was reached last.
  const [first, ...others] = steps;
  return first ? [first, ...others.reverse()] : [];
}
