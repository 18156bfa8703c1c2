import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SETPRIV = '/usr/bin/setpriv';
const PATIENCE_MS = 10_000;

const running = new Set<OwnProcess>();
process.once('exit', () => {
  for (const each of running) each.signal('SIGKILL');
});

/** A process that is killed when this one exits; on Linux, even if this one is killed. */
export class OwnProcess implements AsyncDisposable {
  /** Resolves when it has ended and all of its output was read. */
  readonly ended: Promise<void>;
  protected readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  #errors = '';

  /** @param words the command and its arguments */
  constructor(words: readonly string[], env: Readonly<NodeJS.ProcessEnv> = process.env) {
    const bound = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', ...words] : words;
    const [command = '', ...args] = bound;
    this.child = spawn(command, args, { env, stdio: 'pipe' });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-16_384);
    });
    // Errors on standard input are ignored: the end of the output shows that the process has
    // exited.
    this.child.stdin.on('error', () => {});
    running.add(this);
    this.ended = once(this.child, 'close')
      .catch((error: unknown) => (this.#errors += String(error)))
      .then(() => void running.delete(this));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`could not be started: ${this.errors}`);
    return this.child.pid;
  }

  get hasExited(): boolean {
    return this.exitCode !== null || this.exitSignal !== null || !running.has(this);
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** The signal that ended it, if any. */
  get exitSignal(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  /** The last part of its standard error. */
  get errors(): string {
    return this.#errors;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal, even to a stopped process, and kills the process after 10 s. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    this.signal(signal);
    this.signal('SIGCONT');
    await this.endOrKill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  protected async endOrKill(): Promise<void> {
    const impatience = setTimeout(() => this.signal('SIGKILL'), PATIENCE_MS);
    await this.ended;
    clearTimeout(impatience);
  }
}

/**
 * The command that starts one of our built programs, which exits on any Node warning.
 *
 * @param path relative to the root of the repository
 */
export function ownProgram(path: string, ...nodeOptions: readonly string[]): string[] {
  const failOnWarning = new URL('fail-on-warning.mjs', import.meta.url).href;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return [process.execPath, '--import', failOnWarning, ...nodeOptions, resolve(root, path)];
}
