import { type ChildProcess, spawn } from 'node:child_process';
import { setImmediate } from 'node:timers';
import { type FromGuard, monotonicMs, type Start } from './messages.js';
import { GONE_WITHIN_MS, ProcessGroup } from './process-group.js';
import { Watcher } from './watcher.js';

type State = 'running' | 'ending' | 'killed';

/**
 * The command, as its guard sees it. It ends when zk-lock says so, when zk-lock is gone, or when the
 * lease is over.
 *
 *     running → ending (SIGTERM was sent) → killed (SIGKILL was sent)
 */
export class GuardedCommand {
  #group: ProcessGroup | undefined;
  readonly #watcher = new Watcher();
  #state: State = 'running';
  #wasLeaseOver = false;
  #leaseEndsAt: number;
  #killAt = Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly start: Start,
    leaseEndsAt: number,
    private readonly tell: (news: FromGuard) => void,
  ) {
    const { command, args, environment, foreground } = start;
    this.#leaseEndsAt = leaseEndsAt;
    let child: ChildProcess;
    try {
      child = spawn(command, args, {
        env: environment,
        stdio: 'inherit',
        detached: !foreground,
        windowsHide: true,
      });
    } catch (error) {
      // Node throws some errors, such as ETXTBSY, and reports others as events.
      process.nextTick(() => this.#refused(error as NodeJS.ErrnoException));
      return;
    }
    child.once('error', (error: NodeJS.ErrnoException) => this.#refused(error));
    child.once('exit', (code, signal) => void this.#exited(code, signal));
    if (child.pid === undefined) return;
    this.#group = ProcessGroup.of(child.pid, foreground || process.platform === 'win32');
    this.#watcher.watch(this.#group);
    tell({ type: 'started', ...this.#group.id });
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
    // A stopped process handles SIGTERM only when it resumes.
    this.#group?.signal('SIGCONT');
    this.#plan();
  }

  /**
   * Called when zk-lock is gone. If it ran inside another zk-lock, that one may have lost its lock, so
   * the command is killed at once.
   */
  abandoned(): void {
    if (this.start.isNested) this.kill();
    else this.end();
  }

  kill(): void {
    if (this.#state === 'killed') return;
    this.#state = 'killed';
    clearTimeout(this.#timer);
    this.#group?.signal('SIGKILL');
    this.#timer = setTimeout(() => this.tell({ type: 'outlasts' }), GONE_WITHIN_MS);
  }

  #plan(): void {
    if (this.#state === 'killed') return;
    clearTimeout(this.#timer);
    // After a pause of this process, timers run before it reads what zk-lock has sent in the meantime.
    const look = (): void => void setImmediate(() => this.#look());
    this.#timer = setTimeout(look, Math.max(0, this.#dueAt() - monotonicMs()));
  }

  #look(): void {
    if (this.#state === 'killed') return;
    if (monotonicMs() < this.#dueAt()) this.#plan();
    else if (this.#state === 'ending') this.kill();
    else {
      this.#wasLeaseOver = true;
      this.end();
    }
  }

  /** When the command is asked to end or, if it already was, killed. */
  #dueAt(): number {
    if (this.#state === 'ending') return Math.min(this.#killAt, this.#leaseEndsAt);
    return this.#leaseEndsAt - this.start.killAfterMs;
  }

  #refused({ code = 'unknown' }: NodeJS.ErrnoException): void {
    if (this.#group !== undefined) return;
    this.#watcher.dismiss();
    this.tell({ type: 'refused', code });
  }

  async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    await this.#endGroup();
    clearTimeout(this.#timer);
    this.#watcher.dismiss();
    const endedAt = monotonicMs();
    this.tell({ type: 'ended', code, signal, wasLeaseOver: this.#wasLeaseOver, endedAt });
  }

  /** Ends the processes that the command has left behind in its group, before the lock is released. */
  async #endGroup(): Promise<void> {
    const group = this.#group;
    if (group === undefined || group.id.isAlone || !group.isAlive()) return;
    this.end();
    await group.gone();
  }
}
