import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime, type Journal } from './journal.js';
import type { Random } from './random.js';

interface TaskContext {
  readonly journal: Journal;
  readonly random: Random;
}

/** What a task of each kind does when its turn comes. */
export type Turns<Kind extends string, Context> = Readonly<
  Record<Kind, (context: Context, random: Random) => Promise<void>>
>;

/** The tasks of a worker, each of which takes turns until the next pause. */
export class Tasks<Kind extends string, Context extends TaskContext> {
  #isRunning = false;
  #closed = false;
  #busy = 0;
  #changed: (() => void)[] = [];
  readonly #all: Promise<void>[];

  constructor(
    private readonly turns: Turns<Kind, Context>,
    private readonly context: Context,
    counts: Readonly<Partial<Record<Kind, number>>>,
    /** The maximum pause of a task between two turns, in milliseconds. */
    private readonly idleMs = 5,
  ) {
    this.#all = (Object.keys(turns) as Kind[]).flatMap((kind) =>
      Array.from({ length: counts[kind] ?? 0 }, () => this.#task(kind, context.random.fork())),
    );
  }

  run(): void {
    this.#isRunning = true;
    this.#onChange();
  }

  /** Resolves once every task has ended its turn. */
  async pause(): Promise<void> {
    this.#isRunning = false;
    while (this.#busy > 0) await this.#change();
  }

  async close(): Promise<void> {
    await this.pause();
    this.#closed = true;
    this.#onChange();
    await Promise.all(this.#all);
  }

  async #task(kind: Kind, random: Random): Promise<void> {
    for (;;) {
      while (!this.#isRunning && !this.#closed) await this.#change();
      if (this.#closed) return;
      this.#busy++;
      await this.#turn(kind, random);
      this.#busy--;
      this.#onChange();
      await sleep(random.between(0, this.idleMs));
    }
  }

  async #turn(kind: Kind, random: Random): Promise<void> {
    try {
      await this.turns[kind](this.context, random);
    } catch (error) {
      const { stack } = error as Error;
      this.context.journal.note({ type: 'broke', kind, error: stack ?? '', at: machineTime() });
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #onChange(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}
