import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What such a process says: an answer to the command of this id, or that it is ready, as 0. */
type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

export interface CommandProcessOptions {
  /** Who it is, for errors. */
  readonly name: string;
}

const running = new Set<CommandProcess>();
process.once('exit', () => {
  for (const each of running) each.kill();
});

/**
 * A process in any language that does what it is told: a command is one line,
 * `<id> <what> <argument>...`, and its answer is one line of JSON. It ends with its input.
 */
export class CommandProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #closed: Promise<unknown>;
  #commands = 0;
  #hasEnded = false;
  #errors = '';

  private constructor(
    command: string,
    args: readonly string[],
    private readonly options: CommandProcessOptions,
  ) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-16_384);
    });
    // A process that is gone is noticed at its output.
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    running.add(this);
    this.#closed = once(this.#child, 'close')
      .catch((error: unknown) => (this.#errors += String(error)))
      .finally(() => this.#onClose());
  }

  /** Resolves once it is ready. */
  static async start(
    command: string,
    args: readonly string[],
    options: CommandProcessOptions,
  ): Promise<CommandProcess> {
    const started = new CommandProcess(command, args, options);
    await started.#answer(0);
    return started;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @param args words without spaces */
  tell(what: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const id = ++this.#commands;
    const answer = this.#answer(id);
    this.#child.stdin.write(`${[id, what, ...args].join(' ')}\n`);
    return answer;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async killed(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  /** Lets it close its session and end. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const impatience = setTimeout(() => this.kill(), 10_000);
    await this.#closed;
    clearTimeout(impatience);
  }

  #answer(id: number): Promise<unknown> {
    const ended = (): Error => new Error(`${this.options.name} has ended\n${this.#errors}`);
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) reject(ended());
      this.#waiting.set(id, (answer) => {
        if ('value' in answer) resolve(answer.value);
        else reject(answer.error === '' ? ended() : new Error(answer.error));
      });
    });
  }

  #onClose(): void {
    this.#hasEnded = true;
    running.delete(this);
    for (const [id, settle] of this.#waiting) settle({ id, error: '' });
    this.#waiting.clear();
  }
}
