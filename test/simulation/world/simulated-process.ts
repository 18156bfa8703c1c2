import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../../workers/soak/random.js';
import { drain } from './drain.js';
import { leave, enter } from './here.js';
import { SimulatedTimer, Timers } from './timers.js';
import type { World } from './world.js';

type Callback = (...args: unknown[]) => void;

/** Something that the kernel tells a process of in the poll phase of its event loop. */
export interface Pollable {
  /** Runs one callback by `run`; false where there is nothing more to tell. */
  poll(run: (callback: () => void) => void): boolean;
}

export interface SimulatedImmediate {
  run: (() => void) | undefined;
}

/** A timer is due by the process's clock when the world's says so, whatever is lost in between. */
const ROUNDING_MS = 1e-6;

export interface ProcessOptions {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** What its monotonic clock shows at the beginning of the world, in milliseconds. */
  readonly clockMs: number;
  /** What its wall clock shows then, in milliseconds since 1970. */
  readonly wallMs: number;
  /** How many milliseconds its clocks count in one of the world. */
  readonly rate: number;
}

/**
 * A process: its clocks, its timers, and what its kernel has for it. Its event loop runs timers,
 * then what the kernel has, then immediates, as Node's does. It can be stopped between any two
 * callbacks, and goes on from there.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly timers: Timers;
  readonly random: Random;
  /** When it stood still. */
  readonly stalls: { readonly from: number; at: number }[] = [];
  readonly #options: ProcessOptions;
  #wallShiftMs = 0;
  #immediates: SimulatedImmediate[] = [];
  #ready: Pollable[] = [];
  #turn: Generator<undefined> | undefined;
  #wakesAt = Infinity;
  /** How many reasons there are for it to stand still. */
  #stops = 0;
  #isLooping = false;
  #isDead = false;
  #hang: { callbacks: number; readonly ms: number } | undefined;
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

  /** Milliseconds of its monotonic clock. */
  monotonic(): number {
    const { rate, clockMs } = this.#options;
    return this.world.now * rate + clockMs;
  }

  /** Milliseconds since 1970 by its wall clock. */
  wall(): number {
    const { rate, wallMs } = this.#options;
    return Math.floor(this.world.now * rate + wallMs + this.#wallShiftMs);
  }

  stepWall(ms: number): void {
    this.#wallShiftMs += ms;
  }

  addTimer(
    run: Callback,
    ms: number | undefined,
    args: unknown[],
    repeats: boolean,
  ): SimulatedTimer {
    const inContext = AsyncLocalStorage.snapshot();
    const timer = this.timers.add(() => inContext(run, ...args), ms, repeats);
    this.#wake(this.#timerAt());
    return timer;
  }

  addImmediate(run: Callback, args: unknown[]): SimulatedImmediate {
    const inContext = AsyncLocalStorage.snapshot();
    const immediate = { run: () => inContext(run, ...args) };
    this.#immediates.push(immediate);
    this.#wake(this.world.now);
    return immediate;
  }

  /** The kernel has something for it. */
  tell(pollable: Pollable): void {
    if (this.#isDead || this.#ready.includes(pollable)) return;
    this.#ready.push(pollable);
    this.#wake(this.world.now);
  }

  /** Runs something in its next poll phase, as if a message had arrived. */
  post(run: () => void): void {
    let isDone = false;
    this.tell({
      poll: (call) => {
        if (!isDone) call(run);
        return !(isDone = true);
      },
    });
  }

  /** Runs a callback, and all promises and ticks that follow. */
  run(callback: () => void): void {
    enter(this);
    try {
      callback();
    } catch (error) {
      this.onUncaught(error);
    }
    drain();
    leave();
  }

  /** As SIGSTOP does. */
  stop(): void {
    if (this.#stops++ === 0) this.stalls.push({ from: this.world.now, at: Infinity });
  }

  /** As SIGCONT does: whatever has come meanwhile is there at once, and timers run first. */
  continue(): void {
    if (--this.#stops > 0 || this.#isDead) return;
    this.stalls.at(-1)!.at = this.world.now;
    this.#wakesAt = Infinity;
    this.#wake(this.world.now);
  }

  /** Lets the process stand still for a time, after so many more callbacks. */
  hangAfter(callbacks: number, ms: number): void {
    this.#hang = { callbacks, ms };
  }

  onExit(run: () => void): void {
    this.#onExit.push(run);
  }

  /** As SIGKILL does. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#immediates = [];
    this.#ready = [];
    for (const run of this.#onExit.splice(0)) run();
  }

  #timerAt(): number {
    const { nextAt } = this.timers;
    if (nextAt === Infinity) return Infinity;
    const { rate, clockMs } = this.#options;
    return (nextAt - clockMs) / rate + ROUNDING_MS;
  }

  /** Sees to it that its event loop turns at this time. */
  #wake(time: number): void {
    if (this.#isLooping || this.#wakesAt <= time || time === Infinity) return;
    if (this.#isDead || this.isStopped) return;
    this.#wakesAt = time;
    this.world.at(time, () => {
      if (this.#wakesAt === time && !this.isStopped && !this.#isDead) this.#loop();
    });
  }

  #loop(): void {
    this.#wakesAt = Infinity;
    this.#turn ??= this.#phases();
    this.#isLooping = true;
    while (!this.#isDead && !this.isStopped) {
      if (this.#turn.next().done === true) {
        this.#turn = undefined;
        break;
      }
      if (this.#hang && this.#hang.callbacks-- <= 0) this.#standStill(this.#hang.ms);
    }
    this.#isLooping = false;
    if (this.#turn) return;
    const isBusy = this.#ready.length > 0 || this.#immediates.length > 0;
    this.#wake(isBusy ? this.world.now : Math.max(this.#timerAt(), this.world.now));
  }

  #standStill(ms: number): void {
    this.#hang = undefined;
    this.world.note(`${this.name} stands still for ${ms} ms`);
    this.stop();
    this.world.after(ms, () => this.continue());
  }

  *#phases(): Generator<undefined> {
    for (let timer = this.timers.takeDue(); timer; timer = this.timers.takeDue()) {
      this.run(timer.run);
      yield;
    }
    this.timers.rest();
    const ready = this.#ready;
    this.#ready = [];
    for (const pollable of ready) {
      while (pollable.poll((callback) => this.run(callback))) yield;
      yield;
    }
    const immediates = this.#immediates;
    this.#immediates = [];
    for (const { run } of immediates) {
      if (!run) continue;
      this.run(run);
      yield;
    }
  }
}
