import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OwnProcess, ownProgram } from '../support/own-process.js';
import { sharedServer } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

/** A session that expires quickly, but not while a command starts or stops on a busy machine. */
export const SHORT_SESSION = {
  ZK_LOCK_SESSION_TIMEOUT: '6s',
  ZK_LOCK_TICK_TIME: '500ms',
} as const;

/** A session that does not expire during a test, even on a busy machine. */
export const LONG_SESSION = { ZK_LOCK_SESSION_TIMEOUT: '30s' } as const;

/** The built command in a process of its own. Its session is long by default. */
export class Cli extends OwnProcess {
  #output = '';

  /** @param words the command and arguments that start it */
  constructor(
    args: readonly string[],
    environment: Readonly<NodeJS.ProcessEnv>,
    words = (program: readonly string[]): readonly string[] => program,
  ) {
    super(words([...ownProgram('libs/zk-lock-cli/bin/zk-lock.js'), ...args]), {
      ...withoutSettings(),
      ZK_LOCK_TICK_TIME: '500ms',
      ...LONG_SESSION,
      ...environment,
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** What it has written to its standard output. */
  get output(): string {
    return this.#output;
  }

  /** Writes to standard input and closes it. */
  endInput(text = ''): void {
    this.child.stdin.end(text);
  }

  /** Closes the pipe of its standard output, as `head` does. */
  stopReading(): void {
    this.child.stdout.destroy();
  }

  type(text: string): void {
    this.child.stdin.write(text);
  }

  /** Resolves once it has written this to its standard output or error. */
  async says(text: string | RegExp): Promise<void> {
    const hasSaid = (): boolean => {
      const said = this.#output + this.errors;
      return typeof text === 'string' ? said.includes(text) : text.test(said);
    };
    const what = `zk-lock to say ${String(text)}`;
    await waitFor(() => hasSaid() || this.hasExited, { what });
    if (!hasSaid()) throw new Error(`zk-lock exited with ${this.exitCode}: ${this.errors}`);
  }

  /** Its exit code, once it has ended. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    await this.ended;
    return this.exitCode ?? this.exitSignal;
  }
}

/** Tests must not depend on settings in the environment of the machine. */
function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('ZK_')),
  );
}

/** Starts `zk-lock` with the shared server. It is killed at the end of the test. */
export function startCli(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = {},
): Cli {
  const cli = new Cli(args, withServer(environment));
  onTestFinished(() => cli.end());
  return cli;
}

export interface CallResult {
  readonly code: number | NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs `zk-lock` with the shared server to its end. */
export async function runCli(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = {},
): Promise<CallResult> {
  const cli = startCli(args, environment);
  cli.endInput();
  const code = await cli.exit();
  return { code, output: cli.output, errors: cli.errors };
}

/** The environment of a command that uses the shared server, unless it names another. */
export function withServer(environment: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  return { ZK_CONNECT: sharedServer().connectString, ...environment };
}

/** A temporary directory in which commands write notes. */
export function notesFolder(): { path: (name: string) => string; read: (name: string) => string } {
  const folder = makeTempDir('cli');
  onTestFinished(() => removeTempDir(folder));
  const path = (name: string): string => join(folder, name);
  return { path, read: (name) => readFileSync(path(name), 'utf8') };
}

/** Whether the process has at least one thread that is not a zombie. */
export function isAlive(pid: number): boolean {
  const tasks = textOf(() => readdirSync(`/proc/${pid}/task`).join(' '));
  return tasks.split(' ').some((thread) => {
    const stat = textOf(() => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1'));
    return /\) [^ZX]/.test(stat);
  });
}

/** The processes that were started with `variable` in their environment, as `NAME=value`. */
export function processesWith(variable: string): number[] {
  const pids = readdirSync('/proc').map(Number);
  return pids.filter((pid) => {
    const environment = textOf(() => readFileSync(`/proc/${pid}/environ`, 'latin1'));
    return environment.split('\0').includes(variable);
  });
}

/** The empty string if the process is gone. */
function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

export function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** The numbers that a command has printed in a line such as `pids 12 34`. */
export async function pidsOf(cli: Cli): Promise<number[]> {
  await cli.says(/pids [\d ]+\n/);
  return /pids ([\d ]+)\n/.exec(cli.output)![1]!.trim().split(' ').map(Number);
}
