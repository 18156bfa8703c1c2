type Callback = (...args: unknown[]) => void;

const LONGEST_MS = 0x7fff_ffff;

/** A timer as Node hands it out. */
export class SimulatedTimer {
  list: TimerList | undefined;
  startedAt = 0;
  #keepsAlive = true;

  constructor(
    private readonly timers: Timers,
    readonly run: Callback,
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

/**
 * The timers of a process, as `lib/internal/timers.js` of Node keeps them: a list for each duration.
 * After a stall, all timers of one list that are due run before those of the next list.
 */
export class Timers {
  readonly #lists = new Map<number, TimerList>();
  /** No timer is due before. */
  #notBefore = Infinity;
  /** The list whose timers run. */
  #current: TimerList | undefined;

  /** @param now the process's clock in whole milliseconds, as libuv has it */
  constructor(private readonly now: () => number) {}

  /** How many there are that keep the process alive. */
  get count(): number {
    const all = Array.from(this.#lists.values(), ({ timers }) => [...timers]).flat();
    return all.filter((timer) => timer.hasRef()).length;
  }

  /** When to look for one that is due, by the process's clock. It may have been cleared since. */
  get nextAt(): number {
    return this.#notBefore;
  }

  add(run: Callback, ms: number | undefined, repeats: boolean): SimulatedTimer {
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
    this.#notBefore = Math.min(this.#notBefore, timer.startedAt + timer.ms);
  }

  clear(timer: SimulatedTimer): void {
    const { list } = timer;
    if (!list) return;
    timer.list = undefined;
    list.timers.delete(timer);
    if (list.timers.size === 0 && list !== this.#current) this.#lists.delete(list.ms);
  }

  /** Takes the timer that runs next; undefined where none is due. */
  takeDue(): SimulatedTimer | undefined {
    const now = this.now();
    if (now < this.#notBefore) return undefined;
    if (!this.#current || this.#current.dueAt > now) this.#current = this.#earliest(now);
    const timer = this.#current?.first;
    if (!timer) {
      this.#notBefore = this.#earliestDue();
      return undefined;
    }
    if (timer.repeats) this.start(timer);
    else this.clear(timer);
    return timer;
  }

  /** The timers' phase of the event loop is over. */
  rest(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current?.timers.size === 0) this.#lists.delete(current.ms);
  }

  #earliestDue(): number {
    let next = Infinity;
    for (const list of this.#lists.values()) next = Math.min(next, list.dueAt);
    return next;
  }

  #earliest(now: number): TimerList | undefined {
    let earliest: TimerList | undefined;
    for (const list of this.#lists.values()) {
      if (list.dueAt <= now && list.dueAt < (earliest?.dueAt ?? Infinity)) earliest = list;
    }
    return earliest;
  }
}
