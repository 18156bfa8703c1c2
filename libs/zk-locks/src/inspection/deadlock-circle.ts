import { verticesOnCircles } from './strongly-connected.js';

/** A queue in which calls wait. */
export interface Line {
  /** The name of its directory below the root. */
  readonly segment: string;
  /** Its nodes, by name. */
  readonly places: ReadonlyMap<string, { readonly sequence: number }>;
}

/** A call that waits, as far as its circle is concerned. */
export interface WaitingCall {
  readonly queue: Line;
  /** It waits for the nodes of its queue up to this number. */
  readonly reach: number;
  /** The nodes of the locks that surround it, as paths below the root. */
  readonly holds: readonly string[];
}

/** One call of a circle. */
export interface CircleStep<Call> {
  readonly call: Call;
  /** What it holds, and the call before it waits for. */
  readonly held: string;
}

/** Each call waits for what the next one holds, the last one for what the first one holds. */
export type Circle<Call> = readonly CircleStep<Call>[];

/** The most circles that are reported. */
const MOST_CIRCLES = 10;

/** A node of a queue that calls hold. */
interface HeldNode<Call> {
  readonly path: string;
  readonly sequence: number;
  readonly holders: Call[];
  /** The held node before it in its queue. */
  before: HeldNode<Call> | undefined;
}

/**
 * Looks for circles among calls that wait. Knows nothing of time: they may not have been there at once.
 *
 * What the calls hold is what strangers have written. A call waits for all held nodes of its queue up to
 * a number, so these stand in a row: who waits for one waits for those before it. There are no more
 * edges than calls and held nodes, where pairs of calls would be their square.
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

  /** Circles in which each call that is in any is named, unless there are too many; each circle once. */
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

  /** Undefined where it is not there, or no call waits in its queue. */
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

  /** The row in which a call waits, for the nodes before `end`. */
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

  /** What those wait for who wait for a node. */
  *#behind({ holders, before }: HeldNode<Call>): Iterable<Call | HeldNode<Call>> {
    yield* holders;
    if (before) yield before;
  }
}

/** How a call was reached. */
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
