import { afterEach, beforeEach } from 'vitest';

/** A door that a test opens: what waits at it stands still until then. */
export class Gate {
  arrivals = 0;
  open!: () => void;
  #opened!: Promise<void>;

  constructor() {
    this.close();
  }

  async pass(): Promise<void> {
    this.arrivals++;
    await this.#opened;
  }

  /** For those who come from now on. */
  close(): void {
    this.arrivals = 0;
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }
}

/** One that is closed when a test begins, and opened when it ends. */
export function useGate(): Gate {
  const gate = new Gate();
  beforeEach(() => {
    gate.close();
  });
  afterEach(() => {
    gate.open();
  });
  return gate;
}
