/** A call that waits, as far as its circle is concerned. */
export interface WaitingCall {
  /** The nodes of the locks that surround it. */
  readonly holds: readonly string[];
  /** Whether this node keeps it waiting. */
  waitsFor(node: string): boolean;
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

/** Looks for circles among calls that wait. Knows nothing of time: they may not have been there at once. */
export class WaitGraph<Call extends WaitingCall> {
  readonly #holders = new Map<string, Call[]>();
  readonly #steps = new Map<Call, readonly CircleStep<Call>[]>();

  constructor(private readonly calls: readonly Call[]) {
    for (const call of calls) {
      for (const node of call.holds) {
        const holders = this.#holders.get(node);
        if (holders) holders.push(call);
        else this.#holders.set(node, [call]);
      }
    }
  }

  /** A shortest circle with `start` as its first call. */
  circleThrough(start: Call): Circle<Call> | undefined {
    const reached = new Map<Call, Reached<Call>>();
    const next = [start];
    for (const before of next) {
      for (const { call, held } of this.#stepsFrom(before)) {
        if (reached.has(call)) continue;
        reached.set(call, { before, held });
        if (call === start) return pathTo(start, reached);
        next.push(call);
      }
    }
    return undefined;
  }

  /** Of each call that is in a circle, a shortest one; each circle once. */
  circles(): Circle<Call>[] {
    const found: Circle<Call>[] = [];
    const isKnown = (circle: Circle<Call>): boolean => found.some((known) => isSame(known, circle));
    for (const call of this.calls) {
      const circle = this.circleThrough(call);
      if (circle && !isKnown(circle)) found.push(circle);
      if (found.length === MOST_CIRCLES) break;
    }
    return found;
  }

  /** The calls that hold what this one waits for. */
  #stepsFrom(call: Call): readonly CircleStep<Call>[] {
    const known = this.#steps.get(call);
    if (known) return known;
    const steps = [...this.#holders]
      .filter(([held]) => call.waitsFor(held))
      .flatMap(([held, holders]) => holders.map((holder) => ({ call: holder, held })));
    this.#steps.set(call, steps);
    return steps;
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
    steps.unshift({ call, held: step.held });
    call = step.before;
  } while (call !== start);
  // The start was reached last.
  const first = steps.pop();
  return first ? [first, ...steps] : steps;
}

function isSame<Call>(a: Circle<Call>, b: Circle<Call>): boolean {
  return a.length === b.length && a.every(({ call }) => b.some((step) => step.call === call));
}
