/** A door that a test opens: what waits at it stands still until then. */
export class Gate {
  readonly passed: Promise<void>;
  open!: () => void;
  arrivals = 0;

  constructor() {
    this.passed = new Promise((resolve) => (this.open = resolve));
  }

  async pass(): Promise<void> {
    this.arrivals++;
    await this.passed;
  }
}
