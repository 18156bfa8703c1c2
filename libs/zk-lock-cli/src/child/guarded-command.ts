import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FromGuard, monotonicMs, type Start } from './messages.js';
import { ProcessGroup } from './process-group.js';

/** How often what a command left behind in its group is looked for, in ms. */
const LOOK_MS = 20;

/** How long a process that was killed may take to be gone; outside of Linux, zombies may stay for good. */
const GONE_WITHIN_MS = 1_000;

type State = 'running' | 'ending' | 'killed';

/**
 * The command, as its guard has it: it ends when zk-lock says so, when zk-lock is gone, and when the
 * lease is over.
 *
 *     running → ending (SIGTERM was sent) → killed (SIGKILL was sent)
 */
export class GuardedCommand {
  readonly #child: ChildProcess;
  #group: ProcessGroup | undefined;
  #state: State = 'running';
  #wasLeaseOver = false;
  #leaseEndsAt: number;
  #killAt = Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly start: Start,
    private readonly tell: (news: FromGuard) => void,
  ) {
    const { command, args, environment, foreground } = start;
    this.#leaseEndsAt = start.leaseEndsAt;
    this.#child = spawn(command, args, {
      env: environment,
      stdio: 'inherit',
      detached: !foreground,
      windowsHide: true,
    });
    this.#child.once('error', (error: NodeJS.ErrnoException) => this.#refused(error));
    this.#child.once('exit', (code, signal) => void this.#exited(code, signal));
    if (this.#child.pid === undefined) return;
    this.#group = new ProcessGroup(this.#child.pid, foreground || process.platform === 'win32');
    tell({ type: 'started', pid: this.#child.pid });
    this.#plan();
  }

  /** The lease was extended. */
  extend(endsAt: number): void {
    this.#leaseEndsAt = endsAt;
    this.#plan();
  }

  signal(signal: NodeJS.Signals): void {
    this.#group?.signal(signal);
  }

  /** Asks it to end, and kills it when its time is over. */
  end(): void {
    if (this.#state !== 'running') return;
    this.#state = 'ending';
    this.#killAt = monotonicMs() + this.start.killAfterMs;
    this.#group?.signal('SIGTERM');
    // A stopped process hears it only when it goes on.
    this.#group?.signal('SIGCONT');
    this.#plan();
  }

  kill(): void {
    this.#state = 'killed';
    clearTimeout(this.#timer);
    this.#group?.signal('SIGKILL');
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#state === 'killed') return;
    const now = monotonicMs();
    const isEnding = this.#state === 'ending';
    const dueAt = isEnding
      ? Math.min(this.#killAt, this.#leaseEndsAt)
      : this.#leaseEndsAt - this.start.killAfterMs;
    this.#timer = setTimeout(() => this.#due(isEnding), Math.max(0, dueAt - now));
  }

  #due(isEnding: boolean): void {
    if (isEnding) return this.kill();
    this.#wasLeaseOver = true;
    this.end();
  }

  #refused({ code = 'unknown' }: NodeJS.ErrnoException): void {
    if (this.#group === undefined) this.tell({ type: 'refused', code });
  }

  async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    await this.#endGroup();
    clearTimeout(this.#timer);
    this.tell({ type: 'ended', code, signal, wasLeaseOver: this.#wasLeaseOver });
  }

  /** What the command has started in its group, and left behind, ends before the lock is given back. */
  async #endGroup(): Promise<void> {
    const group = this.#group;
    if (group === undefined || group.isAlone || !group.isAlive()) return;
    this.end();
    let giveUpAt = Infinity;
    while (group.isAlive() && monotonicMs() < giveUpAt) {
      if (this.#state === 'killed' && giveUpAt === Infinity) {
        giveUpAt = monotonicMs() + GONE_WITHIN_MS;
      }
      await sleep(LOOK_MS);
    }
  }
}
