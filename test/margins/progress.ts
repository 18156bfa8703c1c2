import type { Result } from './results.js';

/** A line on the standard error that says how far it is; written anew where that is a terminal. */
export class Progress {
  /** Also keeps the process alive: proxies do not, and there may be nothing else to wait for. */
  readonly #timer: NodeJS.Timeout;
  #done = 0;
  #last = '';
  #written = '';

  constructor(private readonly total: number) {
    this.#timer = setInterval(() => this.#write(), process.stderr.isTTY ? 200 : 10_000);
  }

  on({ library, scenario }: Result): void {
    this.#done++;
    this.#last = `, last: ${library}, ${scenario}`;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#write();
    if (process.stderr.isTTY) process.stderr.write('\n');
  }

  #write(): void {
    const line = `${this.#done} of ${this.total} freezes${this.#last}`;
    if (line === this.#written) return;
    this.#written = line;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }
}
