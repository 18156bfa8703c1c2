import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from './journal.js';
import { LOCK_KINDS, type LockKind } from './protocol.js';
import type { Random } from './random.js';
import { TURNS, type TurnContext } from './turns.js';

/** The tasks of a worker, which take turns until the next pause. */
export class Tasks {
  #running: readonly LockKind[] = [];
  #closed = false;
  #busy = 0;
  #changed: (() => void)[] = [];
  readonly #all: Promise<void>[];

  constructor(
    private readonly context: TurnContext,
    counts: Readonly<Partial<Record<LockKind, number>>>,
    /** The longest time between two turns of a task, in milliseconds. */
    private readonly idleMs = 5,
  ) {
    this.#all = LOCK_KINDS.flatMap((kind) =>
      Array.from({ length: counts[kind] ?? 0 }, () => this.#task(kind, context.random.fork())),
    );
  }

  run(kinds: readonly LockKind[] = LOCK_KINDS): void {
    this.#running = kinds;
    this.#onChange();
  }

  /** Resolves once every task has ended its turn. */
  async pause(): Promise<void> {
    this.#running = [];
    while (this.#busy > 0) await this.#change();
  }

  async close(): Promise<void> {
    await this.pause();
    this.#closed = true;
    this.#onChange();
    await Promise.all(this.#all);
  }

  async #task(kind: LockKind, random: Random): Promise<void> {
    for (;;) {
      while (!this.#running.includes(kind) && !this.#closed) await this.#change();
      if (this.#closed) return;
      this.#busy++;
      await this.#turn(kind, random);
      this.#busy--;
      this.#onChange();
      await sleep(random.between(0, this.idleMs));
    }
  }

  async #turn(kind: LockKind, random: Random): Promise<void> {
    try {
      await TURNS[kind](this.context, random);
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
