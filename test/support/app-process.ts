import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { waitFor } from './wait-for.js';
import { FAIL_ON_WARNING } from './own-program.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<AppProcess>();
process.once('exit', () => {
  for (const each of running) each.kill('SIGKILL');
});

/** A program of `apps`, as built, with an environment of the test's own. */
export class AppProcess {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<Ended>;

  /** @param program where it is in `apps`, as `demo/dist/main.js` */
  constructor(program: string, env: Readonly<Record<string, string>>) {
    const path = fileURLToPath(new URL(`../../apps/${program}`, import.meta.url));
    this.#child = spawn(process.execPath, [...FAIL_ON_WARNING, path], {
      env: { ...process.env, PORT: '0', ZK_CONNECT: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    running.add(this);
    this.#ended = once(this.#child, 'close').then(() => {
      running.delete(this);
      return { code: this.#child.exitCode, signal: this.#child.signalCode };
    });
  }

  get isRunning(): boolean {
    return running.has(this);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** How it ended, with its output complete. */
  ended(): Promise<Ended> {
    return this.#ended;
  }

  /** What the first group matches in its output, once it is there. */
  async said(pattern: RegExp): Promise<string> {
    const found = await waitFor(() => pattern.exec(this.stdout) ?? !this.isRunning, {
      what: `the program to say ${String(pattern)}`,
      timeoutMs: 20_000,
    });
    if (found === true) throw new Error(`the program ended:\n${this.stdout}${this.stderr}`);
    return found[1] ?? '';
  }

  async stop(): Promise<void> {
    this.kill('SIGKILL');
    await this.#ended;
  }
}

/** A program that is ended, at the latest, when the test is over. */
export function startApp(program: string, env: Readonly<Record<string, string>> = {}): AppProcess {
  const app = new AppProcess(program, env);
  onTestFinished(() => app.stop());
  return app;
}
