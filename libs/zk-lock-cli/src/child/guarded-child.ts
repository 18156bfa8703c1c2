import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type ChildEnd, type FromGuard, monotonicMs, type ToGuard } from './messages.js';
import { isMarked, killOrphans, marked } from './orphans.js';
import { GONE_WITHIN_MS, ProcessGroup } from './process-group.js';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly foreground: boolean;
  readonly killAfterMs: number;
  /** How often the lease is checked, in ms. */
  readonly lookEveryMs: number;
  /** How long the command may live unless this is asked again, in ms. */
  readonly msLeft: () => number;
  /** Called when processes of the command outlive SIGKILL, with their ids if these are visible. */
  readonly onOutlasts: (pids: readonly number[]) => void;
}

/** The command could not be started. */
export class CannotStartError extends Error {
  override readonly name = 'CannotStartError';

  constructor(
    readonly command: string,
    /** Node's code of the error. */
    readonly code: string,
  ) {
    super(`cannot start ${command}: ${code}`);
  }
}

/**
 * The command of `zk-lock run`, as zk-lock sees it. A guard starts and ends the command. If the guard
 * is gone or stopped, zk-lock kills the command itself.
 */
export class GuardedChild {
  /**
   * Resolves when no process of the command is running, however long that takes.
   *
   * @throws {CannotStartError} by rejecting
   */
  readonly ended: Promise<ChildEnd>;
  readonly #guard: ChildProcess;
  readonly #looking: NodeJS.Timeout;
  readonly #run = randomUUID();
  #group: ProcessGroup | undefined;
  #killing: NodeJS.Timeout | undefined;
  #hasKilledGuard = false;

  constructor(private readonly options: ChildOptions) {
    const { command, args, environment, foreground, killAfterMs } = options;
    this.#guard = spawn(process.execPath, [fileURLToPath(new URL('guard.cjs', import.meta.url))], {
      env: marked(process.env, this.#run),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // In a session of its own, so that signals from the terminal reach zk-lock only.
      detached: !foreground,
      windowsHide: true,
    });
    this.ended = this.#untilEnded();
    this.#look();
    this.#tell({
      ...{ type: 'start', command, args, foreground, killAfterMs },
      environment: marked(environment, this.#run),
      isNested: isMarked(process.env),
    });
    this.#looking = setInterval(() => this.#look(), options.lookEveryMs);
  }

  /** Whether the guard has reported that the command is running. */
  get hasStarted(): boolean {
    return this.#group !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    // A guard that was stopped before it handled signals cannot read the message.
    if (signal === 'SIGCONT') this.#guard.kill(signal);
    this.#tell({ type: 'signal', signal });
  }

  /** Asks it to end, and kills it when its time is over. */
  end(): void {
    this.#tell({ type: 'end' });
    const { killAfterMs, msLeft } = this.options;
    this.#killing ??= setTimeout(() => this.kill(), Math.min(killAfterMs, msLeft()));
  }

  kill(): void {
    this.#tell({ type: 'kill' });
    this.#group?.signal('SIGKILL');
    clearTimeout(this.#killing);
    // A guard that is stopped neither kills the command nor reports its end.
    this.#killing = setTimeout(() => {
      this.#hasKilledGuard = true;
      this.#guard.kill('SIGKILL');
    }, GONE_WITHIN_MS);
  }

  async #untilEnded(): Promise<ChildEnd> {
    try {
      return (await this.#untilGuardEnded()) ?? (await this.#endWithoutGuard());
    } finally {
      clearInterval(this.#looking);
      clearTimeout(this.#killing);
    }
  }

  /** Resolves to undefined if the guard has ended without a report. */
  #untilGuardEnded(): Promise<ChildEnd | undefined> {
    return new Promise((resolve, reject) => {
      this.#guard.on('error', (error) => {
        if (this.#guard.pid === undefined) reject(error);
      });
      this.#guard.on('message', (news: FromGuard) => {
        switch (news.type) {
          case 'started':
            this.#group = new ProcessGroup(news);
            break;
          case 'outlasts':
            this.options.onOutlasts(this.#group?.members() ?? []);
            break;
          case 'ended':
            resolve(news);
            break;
          case 'refused':
            reject(new CannotStartError(this.options.command, news.code));
        }
      });
      // Comes after the last message, and after the guard's exit.
      this.#guard.once('close', () => resolve(undefined));
    });
  }

  async #endWithoutGuard(): Promise<ChildEnd> {
    const group = this.#group;
    if (group === undefined) {
      await killOrphans(this.#run);
    } else {
      const onOutlasts = (): void => this.options.onOutlasts(group.members());
      const patience = setTimeout(onOutlasts, GONE_WITHIN_MS);
      await group.kill();
      clearTimeout(patience);
    }
    const { signalCode } = this.#guard;
    const end = { code: null, wasLeaseOver: false, endedAt: monotonicMs() };
    // Ctrl-C in the foreground ends a guard that does not handle signals yet.
    if (group === undefined && signalCode !== 'SIGKILL') return { ...end, signal: signalCode };
    return { ...end, signal: 'SIGKILL', wasGuardKilled: !this.#hasKilledGuard };
  }

  #look(): void {
    // Read first: the process may be stopped in between.
    const now = monotonicMs();
    const msLeft = this.options.msLeft();
    // Otherwise the lease is over, which the lock's signal reports, or the clock was stepped and the server is asked.
    if (msLeft > 0) this.#tell({ type: 'lease', endsAt: now + msLeft });
  }

  #tell(message: ToGuard): void {
    // If this fails, the guard's end shows why.
    if (this.#guard.connected) this.#guard.send(message, () => undefined);
  }
}
