/** A progress line on the standard error; a terminal shows only its latest state. */
export class Progress {
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #done = 0;
  #now = 'starting servers';
  #written = '';

  constructor(private readonly total: number) {
    this.#timer = setInterval(() => this.#write(), process.stderr.isTTY ? 200 : 10_000);
  }

  /** @param now the step that begins */
  step(now: string): void {
    this.#now = now;
    this.#done++;
  }

  /** Clears the line before other output. */
  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    this.#written = '';
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #write(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(0);
    const line = `${seconds} s, ${this.#done} of ${this.total}: ${this.#now}`;
    if (line === this.#written) return;
    this.#written = line;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }
}
