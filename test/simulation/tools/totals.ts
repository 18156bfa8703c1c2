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
    const cpuS = this.#cpuMs / 1_000;
    return [
      `${this.#stories} stories, ${(this.#seconds / 3_600).toFixed(2)} simulated hours, ${this.#grants} grants, ${this.#losses} losses, ${this.#faults} faults, ${this.#events} events`,
      `${(this.#seconds / cpuS).toFixed(0)} simulated seconds and ${(this.#grants / cpuS).toFixed(0)} grants for each second of a core (${cpuS.toFixed(0)} s), heap ${(this.#heapBytes / 1e6).toFixed(0)} MB`,
      `among them ${this.#runs} runs of jobs and ${this.#foreign} grants to other libraries; ${this.#calls} calls of ZkClient`,
      `${this.violations} violations`,
    ].join('\n');
  }
}
