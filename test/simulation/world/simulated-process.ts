import type { Random } from '../../workers/soak/random.js';
import { leave, enter } from './current-process.js';
import { SimulatedTimer, Timers } from './timers.js';
import type { World } from './world.js';

/** An event source that the kernel reports in the poll phase of the event loop. */
export interface Pollable {
  /** Runs one callback through `run`. Returns false if there are no more. */
  poll(run: (callback: () => void) => void): boolean;
}

export interface SimulatedImmediate {
  run: (() => void) | undefined;
}

/** Compensates for rounding, so that a timer is also due on the process's own clock. */
const ROUNDING_MS = 1e-6;

export interface ProcessOptions {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** The initial value of its monotonic clock, in milliseconds. */
  readonly clockMs: number;
  /** The initial value of its wall clock, in milliseconds since 1970. */
  readonly wallMs: number;
  /** How fast its clocks run, relative to simulated time. */
  readonly rate: number;
}

type WithTickCallback = typeof process & { _tickCallback(): void };

/**
 * A process with its clocks, its timers, and its events from the kernel. As in Node, its event loop
 * runs timers, then events, then immediates. It can be stopped between any two callbacks, and
 * resumes there.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly timers: Timers;
  readonly random: Random;
  /** The times during which it was stopped. */
  readonly stalls: { readonly from: number; at: number }[] = [];
  readonly #options: ProcessOptions;
  #wallShiftMs = 0;
  #immediates: SimulatedImmediate[] = [];
  #ready: Pollable[] = [];
  #phase: 'timers' | 'poll' | 'check' = 'timers';
  /** The rest of the present phase, the next one last. */
  #polling: Pollable[] = [];
  #checking: SimulatedImmediate[] = [];
  /** When its event loop next turns. */
  #wakesAt = Infinity;
  /** When the world checks whether it should run, the earliest time last. */
  readonly #looks: number[] = [];
  /** Whether such a check is due before time advances. */
  #looksSoon = false;
  /** The number of active calls of `stop`. */
  #stops = 0;
  #isLooping = false;
  #isDead = false;
  #hang: { callbacks: number; readonly ms: number } | undefined;
  #endHang: (() => void) | undefined;
  readonly #onExit: (() => void)[] = [];

  constructor(
    readonly world: World,
    options: ProcessOptions,
    private readonly onUncaught: (error: unknown) => void,
  ) {
    this.#options = options;
    ({ name: this.name, host: this.host, pid: this.pid } = options);
    this.random = world.random.fork();
    this.timers = new Timers(() => Math.floor(this.monotonic()));
  }

  get isStopped(): boolean {
    return this.#stops > 0;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** The monotonic clock, in milliseconds. */
  monotonic(): number {
    const { rate, clockMs } = this.#options;
    return this.world.now * rate + clockMs;
  }

  /** The wall clock, in milliseconds since 1970. */
  wall(): number {
    const { rate, wallMs } = this.#options;
    return Math.floor(this.world.now * rate + wallMs + this.#wallShiftMs);
  }

  stepWall(ms: number): void {
    this.#wallShiftMs += ms;
  }

  addTimer(run: () => void, ms: number | undefined, repeats = false): SimulatedTimer {
    const timer = this.timers.add(run, ms, repeats);
    this.#wake(this.#timerAt());
    return timer;
  }

  addImmediate(run: () => void): SimulatedImmediate {
    const immediate = { run };
    this.#immediates.push(immediate);
    this.#wake(this.world.now);
    return immediate;
  }

  /** The kernel reports an event source. */
  tell(pollable: Pollable): void {
    if (this.#isDead || this.#ready.includes(pollable)) return;
    this.#ready.push(pollable);
    this.#wake(this.world.now);
  }

  /** Runs a function in the next poll phase, as if a message had arrived. */
  post(run: () => void): void {
    let isDone = false;
    this.tell({
      poll: (call) => {
        if (!isDone) call(run);
        return !(isDone = true);
      },
    });
  }

  /** Runs a callback and then all ticks and promise jobs. */
  run(callback: () => void): void {
    enter(this);
    try {
      callback();
    } catch (error) {
      this.onUncaught(error);
    }
    // Drains ticks and promise jobs, as Node does after each callback of its event loop. This works
    // only inside a real timer.
    (process as WithTickCallback)._tickCallback();
    leave();
  }

  stop(): void {
    if (this.#stops++ === 0) this.stalls.push({ from: this.world.now, at: Infinity });
  }

  /** As after SIGCONT, everything that has arrived is available, and timers run first. */
  continue(): void {
    if (--this.#stops > 0 || this.#isDead) return;
    this.stalls.at(-1)!.at = this.world.now;
    this.#wakesAt = Infinity;
    this.#wake(this.world.now);
  }

  /** Stops the process for a time, after this many more callbacks. */
  hangAfter(callbacks: number, ms: number): void {
    this.#hang = { callbacks, ms };
  }

  /** Cancels or ends a stop by {@link hangAfter}. */
  endHang(): void {
    this.#hang = undefined;
    this.#endHang?.();
  }

  onExit(run: () => void): void {
    this.#onExit.push(run);
  }

  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    for (const list of [this.#immediates, this.#ready, this.#polling, this.#checking])
      list.length = 0;
    for (const run of this.#onExit.splice(0)) run();
  }

  #timerAt(): number {
    const { nextAt } = this.timers;
    if (nextAt === Infinity) return Infinity;
    const { rate, clockMs } = this.#options;
    return (nextAt - clockMs) / rate + ROUNDING_MS;
  }

  /** Schedules a turn of the event loop. */
  #wake(time: number): void {
    if (this.#isLooping || this.#wakesAt <= time) return;
    this.#wakesAt = time;
    this.#lookAt(time);
  }

  #lookAt(time: number): void {
    if (time > this.world.now) {
      if (time >= (this.#looks.at(-1) ?? Infinity)) return;
      this.#looks.push(time);
      this.world.at(time, this.#look);
    } else if (!this.#looksSoon) {
      this.#looksSoon = true;
      this.world.soon(this.#lookNow);
    }
  }

  readonly #lookNow = (): void => {
    this.#looksSoon = false;
    if (this.#wakesAt <= this.world.now) this.#loop();
  };

  readonly #look = (): void => {
    this.#looks.pop();
    if (this.#wakesAt <= this.world.now) this.#loop();
    else if (this.#wakesAt < Infinity) this.#lookAt(this.#wakesAt);
  };

  #loop(): void {
    if (!this.#mayRun()) return;
    this.#wakesAt = Infinity;
    this.#isLooping = true;
    while (this.#step()) {
      if (this.#hang && this.#hang.callbacks-- <= 0) this.#stall(this.#hang.ms);
      if (!this.#mayRun()) break;
    }
    this.#isLooping = false;
    if (!this.#mayRun()) return;
    const isBusy = this.#ready.length > 0 || this.#immediates.length > 0;
    this.#wake(isBusy ? this.world.now : Math.max(this.#timerAt(), this.world.now));
  }

  #mayRun(): boolean {
    return !this.#isDead && !this.isStopped;
  }

  #stall(ms: number): void {
    this.#hang = undefined;
    this.world.note(`${this.name} stalls for ${ms} ms`);
    this.stop();
    const end = (): void => {
      if (this.#endHang !== end) return;
      this.#endHang = undefined;
      this.continue();
    };
    this.#endHang = end;
    this.world.after(ms, end);
  }

  /**
   * Runs the next callback of this turn of the event loop. Returns false at the end of the turn.
   */
  #step(): boolean {
    if (this.#phase === 'timers') {
      const timer = this.timers.takeDue();
      if (timer) {
        this.run(timer.run);
        return true;
      }
      this.timers.rest();
      this.#phase = 'poll';
      this.#polling = this.#ready.reverse();
      this.#ready = [];
    }
    if (this.#phase === 'poll') {
      const pollable = this.#polling.at(-1);
      if (pollable) {
        const isMore = pollable.poll(this.#call);
        if (!isMore) this.#polling.pop();
        return true;
      }
      this.#phase = 'check';
      this.#checking = this.#immediates.reverse();
      this.#immediates = [];
    }
    for (let next = this.#checking.pop(); next; next = this.#checking.pop()) {
      if (!next.run) continue;
      this.run(next.run);
      return true;
    }
    this.#phase = 'timers';
    return false;
  }

  readonly #call = (callback: () => void): void => this.run(callback);
}
