import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zooKeeperCommand } from './zookeeper-command.js';
import { waitFor } from './wait-for.js';

const alive = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** One running server process (`QuorumPeerMain`), from its start to its end. */
export class ZooKeeperProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #log = '';

  constructor(
    configFile: string,
    systemProperties: Readonly<Record<string, string>>,
    javaOptions: readonly string[],
  ) {
    const { command, args } = zooKeeperCommand(configFile, systemProperties, javaOptions);
    this.#child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-8_192);
    });
    this.#child.on('error', (error) => (this.#log += String(error)));
    alive.add(this.#child);
    this.#ended = once(this.#child, 'close').finally(() => alive.delete(this.#child));
    // A failed start is reported by whoever waits for the server; the log says why.
    this.#ended.catch(() => undefined);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`could not start java: ${this.#log}`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return (
      this.#child.exitCode === null && this.#child.signalCode === null && alive.has(this.#child)
    );
  }

  /** The last few kilobytes of warnings and errors. */
  get log(): string {
    return this.#log;
  }

  /** Stops the process, and waits until each of its threads stands still. */
  async pause(): Promise<void> {
    this.#child.kill('SIGSTOP');
    await waitFor(() => threadStates(this.pid).every((state) => state === 'T'), {
      what: `process ${String(this.pid)} to stand still`,
      intervalMs: 1,
    });
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Sends the signal and waits for the end; after 10 s it kills. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    // A stopped process does not see SIGTERM before it goes on.
    this.#child.kill('SIGCONT');
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#ended.finally(() => {
      clearTimeout(impatience);
    });
  }
}

/** `T` for a stopped thread; Linux tells it after the name of the program, in parentheses. */
function threadStates(pid: number): (string | undefined)[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).map(
    (task) => /\) (\w)/.exec(readFileSync(join(tasks, task, 'stat'), 'utf8'))?.[1],
  );
}
