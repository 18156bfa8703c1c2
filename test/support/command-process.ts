import { createInterface } from 'node:readline';
import type { CommandTable } from '../workers/serve.js';
import { OwnProcess } from './own-process.js';

interface Answer {
  /** The command's id, or 0 when the process is ready. Absent in news. */
  readonly id?: number;
  readonly value?: unknown;
  /** The error, in readable form. */
  readonly error?: string;
  readonly code?: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A command failed, or the process ended before it had answered (`PROCESS_ENDED`). */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    /** The code of the error that was thrown there. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/**
 * A process in any language that executes commands. A command is one line, the JSON array of an id,
 * a name and arguments. An answer is one line, a JSON object with that id and either `value` or
 * `error`. The process answers the id 0 when it is ready, and ends when its input does. Other lines
 * are news. `test/workers/serve.ts` serves our own programs.
 */
export class CommandProcess<
  Commands extends CommandTable<Commands> = Record<
    string,
    (...args: (string | number)[]) => unknown
  >,
  News = never,
> extends OwnProcess {
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<unknown>;
  #commands = 0;

  /**
   * @param words the command that starts it, and its arguments
   * @param name its name in errors
   */
  constructor(
    words: readonly string[],
    readonly name: string,
  ) {
    super(words);
    createInterface({ input: this.child.stdout }).on('line', (line) =>
      this.#onAnswer(JSON.parse(line) as Answer),
    );
    this.#ready = this.#answer(0);
    // The process may have ended before `ready()` is called.
    this.#ready.catch(() => {});
    void this.ended.then(() => {
      for (const { reject } of this.#pending.values()) reject(this.#hasEnded());
      this.#pending.clear();
    });
  }

  /** Its exit, and its last output. */
  get lastWords(): string {
    const { exitCode, exitSignal, errors } = this;
    return `${exitSignal ?? `exit code ${String(exitCode)}`} ${errors}`.trim();
  }

  /** Resolves once it is ready, with its first answer. */
  async ready(timeoutMs = 60_000): Promise<unknown> {
    const impatience = setTimeout(() => {
      this.#pending.get(0)?.reject(new Error(`${this.name} is not ready in ${timeoutMs} ms`));
      this.signal('SIGKILL');
    }, timeoutMs);
    return this.#ready.finally(() => clearTimeout(impatience));
  }

  tell<C extends keyof Commands & string>(
    what: C,
    ...args: Parameters<Commands[C]>
  ): Promise<Awaited<ReturnType<Commands[C]>>> {
    if (this.hasExited) return Promise.reject(this.#hasEnded());
    const id = ++this.#commands;
    this.child.stdin.write(`${JSON.stringify([id, what, ...args])}\n`);
    return this.#answer(id) as Promise<Awaited<ReturnType<Commands[C]>>>;
  }

  /** Lets the process close and exit; after 10 s it is killed. */
  async stop(): Promise<void> {
    this.child.stdin.end();
    await this.endOrKill();
  }

  /** Handles a message that is not an answer. */
  protected onNews(news: News): void {
    throw new Error(`${this.name} says ${JSON.stringify(news)}`);
  }

  #answer(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #onAnswer(answer: Answer): void {
    const { id, value, error, code } = answer;
    if (id === undefined) {
      this.onNews(answer as News);
      return;
    }
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new CommandError(error, code));
  }

  #hasEnded(): CommandError {
    return new CommandError(`${this.name} has ended: ${this.lastWords}`, 'PROCESS_ENDED');
  }
}
