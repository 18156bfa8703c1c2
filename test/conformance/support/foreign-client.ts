import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What a driver says: at first what it can run, then one line for each scenario it has run. */
type Message =
  | { readonly scenarios: string[] }
  | { readonly name: string; readonly ok: boolean; readonly trace: string };

/** A scenario has failed; the message is the foreign client's own trace. */
export class ForeignFailure extends Error {
  override readonly name = 'ForeignFailure';
}

const SETPRIV = '/usr/bin/setpriv';

const running = new Set<ForeignClient>();
process.once('exit', () => {
  for (const client of running) client.kill();
});

/**
 * A process with a client that is not ours. It prints the names of its scenarios as one line of
 * JSON, then reads names from its standard input and runs them one after another, with a line of
 * JSON about each, until its input ends.
 */
export class ForeignClient {
  readonly scenarios: Promise<readonly string[]>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #messages: AsyncIterator<string>;
  readonly #ended: Promise<void>;
  #errors = '';

  constructor(command: string, args: readonly string[]) {
    this.#child = startProcess(command, args);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-16_384);
    });
    // A process that is gone is noticed at its output.
    this.#child.stdin.on('error', () => {});
    this.#messages = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    running.add(this);
    this.#ended = once(this.#child, 'close').then(
      () => void running.delete(this),
      // It could not be started; whoever listens to it hears of its end, and why.
      (error: unknown) => void (this.#errors += String(error)),
    );
    this.scenarios = this.#listen('scenarios').then((message) => message.scenarios);
    this.scenarios.catch(() => undefined);
  }

  /** Runs one scenario; the ones before it must be done. */
  async run(scenario: string): Promise<void> {
    this.#child.stdin.write(`${scenario}\n`);
    const report = await this.#listen('name');
    if (report.name !== scenario) throw new Error(`${report.name} ran instead of ${scenario}`);
    if (!report.ok) throw new ForeignFailure(`\n${report.trace}${this.#said()}`);
  }

  /** Lets it end. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const impatience = setTimeout(() => this.kill(), 10_000);
    await this.#ended;
    clearTimeout(impatience);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #listen<K extends 'scenarios' | 'name'>(
    key: K,
  ): Promise<Extract<Message, Record<K, unknown>>> {
    const line = await this.#messages.next();
    if (line.done) {
      await this.#ended;
      throw new Error(`the client's process ended${this.#said()}`);
    }
    const message = JSON.parse(line.value) as Message;
    if (!(key in message)) throw new Error(`expected "${key}" in ${line.value}${this.#said()}`);
    return message as Extract<Message, Record<K, unknown>>;
  }

  /** What it has logged since this was asked last. */
  #said(): string {
    const said = this.#errors && `\nIts log ends with:\n${this.#errors}`;
    this.#errors = '';
    return said;
  }
}

function startProcess(
  command: string,
  args: readonly string[],
): ChildProcessByStdio<Writable, Readable, Readable> {
  // Linux then kills it with this process, even when that is killed itself.
  const [file, all] = existsSync(SETPRIV)
    ? [SETPRIV, ['--pdeathsig', 'KILL', command, ...args]]
    : [command, args];
  return spawn(file, all, { stdio: ['pipe', 'pipe', 'pipe'] });
}
