import { afterEach, beforeEach } from 'vitest';

/** A gate that the test opens. Calls wait at it until then. */
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

  /** Closes the gate for later calls. */
  close(): void {
    this.arrivals = 0;
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }
}

/** A gate that is closed when a test begins and opened when it ends. */
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
