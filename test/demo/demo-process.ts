import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { isListening } from '../support/is-listening.js';
import { waitFor } from '../support/wait-for.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<DemoProcess>();
process.once('exit', () => {
  for (const demo of running) demo.kill('SIGKILL');
});

/** One of the programs of `apps/demo`, as built, with an environment of the test's own. */
export class DemoProcess {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<Ended>;

  constructor(program: 'main' | 'demo', env: Readonly<Record<string, string>>) {
    const path = fileURLToPath(new URL(`../../apps/demo/dist/${program}.js`, import.meta.url));
    this.#child = spawn(process.execPath, [path], {
      env: { ...process.env, PORT: '0', ZK_CONNECT: '', DEMO_STATE: '', ...env },
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
      what: `the demo to say ${String(pattern)}`,
      timeoutMs: 20_000,
    });
    if (found === true) throw new Error(`the demo ended:\n${this.stdout}${this.stderr}`);
    return found[1] ?? '';
  }

  async stop(): Promise<void> {
    this.kill('SIGKILL');
    await this.#ended;
  }
}

/** A program of the demo that is ended, at the latest, when the test is over. */
export function startDemo(
  program: 'main' | 'demo',
  env: Readonly<Record<string, string>> = {},
): DemoProcess {
  const demo = new DemoProcess(program, env);
  onTestFinished(() => demo.stop());
  return demo;
}

/** A folder for temporary files, to see what a process leaves there. */
export function ownTempDir(): string {
  const directory = makeTempDir('demo-test');
  onTestFinished(() => {
    removeTempDir(directory);
  });
  return directory;
}

/** The URL of a box office, once it sells. */
export function urlOf(boxOffice: DemoProcess): Promise<string> {
  return boxOffice.said(/^Box office: (http:\S+),/m);
}

/** Whether anybody listens at `host:port`. */
export function answers(address: string): Promise<boolean> {
  const [host = '', port] = address.split(':');
  return isListening(Number(port), host);
}
