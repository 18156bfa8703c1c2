import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChildEnd, type FromGuard, monotonicMs, type ToGuard } from './messages.js';
import { ProcessGroup } from './process-group.js';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly foreground: boolean;
  readonly killAfterMs: number;
  /** How often the lease is looked at, in ms. */
  readonly lookEveryMs: number;
  /** How long the command may live unless this is asked again, in ms. */
  readonly msLeft: () => number;
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

/** As the command's end where its guard was killed, and the command with it. */
const KILLED: ChildEnd = { code: null, signal: 'SIGKILL', wasLeaseOver: false };

/**
 * The command of `zk-lock run`, as zk-lock has it. A guard starts it and ends it; should that be gone or
 * be stopped itself, zk-lock kills the command.
 */
export class GuardedChild {
  /** @throws {CannotStartError} by rejecting */
  readonly ended: Promise<ChildEnd>;
  readonly #guard: ChildProcess;
  readonly #looking: NodeJS.Timeout;
  #group: ProcessGroup | undefined;
  #killing: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChildOptions) {
    const { command, args, environment, foreground, killAfterMs } = options;
    this.#guard = spawn(process.execPath, [fileURLToPath(new URL('guard.cjs', import.meta.url))], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // A session of its own: what a terminal sends goes to zk-lock alone.
      detached: !foreground,
      windowsHide: true,
    });
    this.ended = this.#untilEnded();
    const leaseEndsAt = monotonicMs() + options.msLeft();
    const start = { command, args, environment, foreground, killAfterMs, leaseEndsAt };
    this.#tell({ type: 'start', ...start });
    this.#looking = setInterval(() => this.#look(), options.lookEveryMs);
  }

  signal(signal: NodeJS.Signals): void {
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
  }

  #untilEnded(): Promise<ChildEnd> {
    let hasEnded = false;
    const ended = new Promise<ChildEnd>((resolve, reject) => {
      this.#guard.once('error', reject);
      this.#guard.on('message', (news: FromGuard) => {
        if (news.type === 'started') {
          const isAlone = this.options.foreground || process.platform === 'win32';
          this.#group = new ProcessGroup(news.pid, isAlone);
          return;
        }
        hasEnded = true;
        if (news.type === 'ended') resolve(news);
        else reject(new CannotStartError(this.options.command, news.code));
      });
      // After the last message, also where it was killed.
      this.#guard.once('disconnect', () => {
        if (!hasEnded) this.#group?.signal('SIGKILL');
        resolve(KILLED);
      });
    });
    return ended.finally(() => {
      clearInterval(this.#looking);
      clearTimeout(this.#killing);
    });
  }

  #look(): void {
    const msLeft = this.options.msLeft();
    // Without: it is over, which the lock's signal tells, or the clock has jumped and the server is asked.
    if (msLeft > 0) this.#tell({ type: 'lease', endsAt: monotonicMs() + msLeft });
  }

  #tell(message: ToGuard): void {
    // What went wrong is told by the guard's end.
    if (this.#guard.connected) this.#guard.send(message, () => undefined);
  }
}
