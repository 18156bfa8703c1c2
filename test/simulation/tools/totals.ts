import type { Told } from '../program.js';

/** Adds up the results of the simulator's processes. */
export class Totals {
  violations = 0;
  #stories = 0;
  #cpuMs = 0;
  #heapBytes = 0;
  readonly #sums = {
    seconds: 0,
    faults: 0,
    snapshots: 0,
    grants: 0,
    losses: 0,
    runs: 0,
    foreign: 0,
    calls: 0,
    events: 0,
  };

  add(told: Told): void {
    if (told.type === 'end') {
      this.#cpuMs += told.cpuMs;
      this.#heapBytes = Math.max(this.#heapBytes, told.heapBytes);
    }
    if (told.type !== 'outcome') return;
    const { outcome } = told;
    this.#stories++;
    this.violations += outcome.violations.length;
    const sums = this.#sums;
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += outcome[name];
  }

  describe(): string {
    return this.rows()
      .map(([what, count]) => `${what}: ${count}`)
      .join('\n');
  }

  rows(): readonly (readonly [what: string, count: string])[] {
    const { seconds, faults, snapshots, grants, losses, runs, foreign, calls, events } = this.#sums;
    const cpuS = this.#cpuMs / 1_000;
    return [
      ['stories', String(this.#stories)],
      ['simulated hours', (seconds / 3_600).toFixed(2)],
      ['faults', String(faults)],
      ['snapshots restored', String(snapshots)],
      ['grants', String(grants)],
      ['losses', String(losses)],
      ['runs of jobs', String(runs)],
      ['grants to other libraries', String(foreign)],
      ['calls of `ZkClient`', String(calls)],
      ['events', String(events)],
      ['CPU seconds', cpuS.toFixed(0)],
      ['simulated seconds per CPU second', (seconds / cpuS).toFixed(0)],
      ['grants per CPU second', (grants / cpuS).toFixed(0)],
      ['largest heap', `${(this.#heapBytes / 1e6).toFixed(0)} MB`],
      ['violations', String(this.violations)],
    ];
  }
}
