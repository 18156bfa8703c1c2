import { EventQueue } from './event-queue.js';

const LONGEST_MS = 0x7fff_ffff;

/** A timer as Node returns it. */
export class SimulatedTimer {
  list: TimerList | undefined;
  startedAt = 0;
  #keepsAlive = true;

  constructor(
    private readonly timers: Timers,
    readonly run: () => void,
    readonly ms: number,
    readonly repeats: boolean,
  ) {}

  ref(): this {
    this.#keepsAlive = true;
    return this;
  }

  unref(): this {
    this.#keepsAlive = false;
    return this;
  }

  hasRef(): boolean {
    return this.#keepsAlive;
  }

  refresh(): this {
    this.timers.start(this);
    return this;
  }

  close(): this {
    this.timers.clear(this);
    return this;
  }

  [Symbol.dispose](): void {
    this.timers.clear(this);
  }
}

/** All timers of one duration, in the order in which they were started. */
class TimerList {
  readonly timers = new Set<SimulatedTimer>();
  isQueued = false;

  constructor(readonly ms: number) {}

  get first(): SimulatedTimer | undefined {
    for (const timer of this.timers) return timer;
    return undefined;
  }

  get dueAt(): number {
    const { first } = this;
    return first ? first.startedAt + this.ms : Infinity;
  }
}

interface Turn {
  /** When its first timer is due. */
  readonly at: number;
  readonly tie: number;
  readonly list: TimerList;
}

/**
 * The timers of a process, kept as in Node's `lib/internal/timers.js`: one list for each duration.
 * After a stall, all due timers of one list run before those of the next list.
 */
export class Timers {
  readonly #lists = new Map<number, TimerList>();
  /** All lists except the current one. */
  readonly #queue = new EventQueue<Turn>();
  #queued = 0;
  /** The list whose timers are running. */
  #current: TimerList | undefined;

  /** @param now the process's clock in whole milliseconds, as in libuv */
  constructor(private readonly now: () => number) {}

  /** The number of timers that keep the process alive. */
  get count(): number {
    const all = Array.from(this.#lists.values(), ({ timers }) => [...timers]).flat();
    return all.filter((timer) => timer.hasRef()).length;
  }

  /** When the next timer is due, on the process's clock. */
  get nextAt(): number {
    for (let { first } = this.#queue; first; { first } = this.#queue) {
      const { list, at } = first;
      if (list.dueAt === at) return at;
      this.#queue.pop();
      list.isQueued = false;
      this.#putBack(list);
    }
    return Infinity;
  }

  add(run: () => void, ms: number | undefined, repeats: boolean): SimulatedTimer {
    const wanted = Number(ms);
    const lasts = wanted >= 1 && wanted <= LONGEST_MS ? Math.trunc(wanted) : 1;
    const timer = new SimulatedTimer(this, run, lasts, repeats);
    this.start(timer);
    return timer;
  }

  start(timer: SimulatedTimer): void {
    timer.list?.timers.delete(timer);
    let list = this.#lists.get(timer.ms);
    if (!list) this.#lists.set(timer.ms, (list = new TimerList(timer.ms)));
    timer.startedAt = this.now();
    timer.list = list;
    list.timers.add(timer);
    if (list !== this.#current) this.#putBack(list);
  }

  clear(timer: SimulatedTimer): void {
    timer.list?.timers.delete(timer);
    timer.list = undefined;
  }

  /** Removes and returns the next due timer, or returns undefined. */
  takeDue(): SimulatedTimer | undefined {
    const now = this.now();
    if (this.#current && this.#current.dueAt > now) this.rest();
    if (!this.#current) {
      if (this.nextAt > now) return undefined;
      const { list } = this.#queue.pop()!;
      list.isQueued = false;
      this.#current = list;
    }
    const timer = this.#current.first!;
    if (timer.repeats) this.start(timer);
    else this.clear(timer);
    return timer;
  }

  /** Ends the timers phase of the event loop. */
  rest(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current) this.#putBack(current);
  }

  #putBack(list: TimerList): void {
    if (list.isQueued) return;
    if (list.timers.size === 0) {
      this.#lists.delete(list.ms);
      return;
    }
    list.isQueued = true;
    this.#queue.push({ at: list.dueAt, tie: ++this.#queued, list });
  }
}
