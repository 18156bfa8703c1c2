import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Cycle, Weighted, Workshop } from './cycle.js';
import type { CycleKind } from './protocol.js';
import { readCycles } from './read-cycles.js';
import { semaphoreCycles } from './semaphore-cycles.js';
import { upgradableCycles } from './upgradable-cycles.js';
import { writeCycles } from './write-cycles.js';

const cyclesOf: Record<CycleKind, readonly Weighted[]> = {
  write: writeCycles,
  read: readCycles,
  semaphore: semaphoreCycles,
  upgradable: upgradableCycles,
};

/** Cycles of all kinds, in an order that the seed decides. */
export class Cycles {
  readonly #workshop: Workshop;
  readonly #choices: readonly (readonly Cycle[])[];

  constructor(
    workshop: Omit<Workshop, 'random'>,
    kinds: readonly CycleKind[],
    seed: number,
    private readonly tasks: number,
  ) {
    const generator = xoroshiro128plus(seed);
    const random = (bound: number): number => uniformInt(generator, 0, bound - 1);
    this.#workshop = { ...workshop, random };
    this.#choices = kinds.map((kind) =>
      cyclesOf[kind].flatMap(([weight, cycle]) => Array.from({ length: weight }, () => cycle)),
    );
  }

  /** Has each task run each cycle once: from then on, no key is used for the first time. */
  async runEach(): Promise<void> {
    const each = new Set(this.#choices.flat());
    const work = async (own: string): Promise<void> => {
      for (const cycle of each) await cycle(this.#workshop, own);
    };
    await Promise.all(Array.from({ length: this.tasks }, (_, task) => work(`own-${task}`)));
  }

  /** Runs so many cycles, by several tasks at once. */
  async run(count: number): Promise<void> {
    let left = count;
    const work = async (own: string): Promise<void> => {
      while (left-- > 0) await this.#choose()(this.#workshop, own);
    };
    await Promise.all(Array.from({ length: this.tasks }, (_, task) => work(`own-${task}`)));
  }

  #choose(): Cycle {
    const { random } = this.#workshop;
    const cycles = this.#choices[random(this.#choices.length)] ?? [];
    const cycle = cycles[random(cycles.length)];
    if (!cycle) throw new Error('there are no cycles to choose from');
    return cycle;
  }
}
