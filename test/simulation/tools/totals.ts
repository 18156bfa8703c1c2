import type { Told } from '../program.js';

/** Adds up what the processes of the simulator tell. */
export class Totals {
  violations = 0;
  #stories = 0;
  #grants = 0;
  #losses = 0;
  #runs = 0;
  #foreign = 0;
  #calls = 0;
  #faults = 0;
  #seconds = 0;
  #events = 0;
  #cpuMs = 0;
  #heapBytes = 0;

  add(told: Told): void {
    switch (told.type) {
      case 'outcome': {
        const { violations, grants, losses, faults, seconds, events } = told.outcome;
        const { runs, foreign, calls } = told.outcome;
        this.#runs += runs;
        this.#foreign += foreign;
        this.#calls += calls;
        this.violations += violations.length;
        this.#stories++;
        this.#grants += grants;
        this.#losses += losses;
        this.#faults += faults;
        this.#seconds += seconds;
        this.#events += events;
        return;
      }
      case 'end':
        this.#cpuMs += told.cpuMs;
        this.#heapBytes = Math.max(this.#heapBytes, told.heapBytes);
        return;
      case 'failure':
    }
  }

  describe(): string {
    return this.rows()
      .map(([what, count]) => `${what}: ${count}`)
      .join('\n');
  }

  rows(): readonly (readonly [what: string, count: string])[] {
    const cpuS = this.#cpuMs / 1_000;
    return [
      ['stories', String(this.#stories)],
      ['simulated hours', (this.#seconds / 3_600).toFixed(2)],
      ['faults', String(this.#faults)],
      ['grants', String(this.#grants)],
      ['losses', String(this.#losses)],
      ['runs of jobs', String(this.#runs)],
      ['grants to other libraries', String(this.#foreign)],
      ['calls of `ZkClient`', String(this.#calls)],
      ['events', String(this.#events)],
      ['CPU seconds', cpuS.toFixed(0)],
      ['simulated seconds per CPU second', (this.#seconds / cpuS).toFixed(0)],
      ['grants per CPU second', (this.#grants / cpuS).toFixed(0)],
      ['largest heap', `${(this.#heapBytes / 1e6).toFixed(0)} MB`],
      ['violations', String(this.violations)],
    ];
  }
}
