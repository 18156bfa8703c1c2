import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** True on Linux, unless the processes of other users are hidden. */
const canSeeAllProcesses = existsSync('/proc/1/stat');

/** How often a group is checked, in ms; less often the longer it lives. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;

/**
 * How long a process may outlive SIGKILL before the user is told, in ms. A process that waits for a
 * disk or a network lives until it gets its answer.
 */
export const GONE_WITHIN_MS = 1_000;

/** Distinguishes a group from a later one with the same number. */
export interface GroupId {
  /** The id of the command, which is the first process of the group. */
  readonly pid: number;
  /** When the command was started, in Linux's clock ticks; undefined if that is not visible. */
  readonly bornAt: string | undefined;
  /** Whether this is the command alone: on Windows, and in the foreground. */
  readonly isAlone: boolean;
}

/**
 * The command and the processes that it has started, as long as they stay in its process group. On
 * Windows, and in the foreground, the command alone.
 */
export class ProcessGroup {
  /** The target for `kill`: negative for a group. */
  readonly target: number;

  constructor(readonly id: GroupId) {
    this.target = id.isAlone ? id.pid : -id.pid;
  }

  /** The group of a child that has just been started. */
  static of(pid: number, isAlone: boolean): ProcessGroup {
    return new ProcessGroup({ pid, bornAt: readProcess(pid)?.bornAt, isAlone });
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#isReplaced()) this.#send(signal);
  }

  /** Whether any of its processes is running. */
  isAlive(): boolean {
    if (!this.#send(0)) return false;
    // A process may have forked and ended during the first look, which then misses its child.
    return !canSeeAllProcesses || this.members().length > 0 || this.members().length > 0;
  }

  /** Kills the group, and resolves when none of its processes is running. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.gone();
  }

  /** Resolves when none of its processes is running. */
  async gone(): Promise<void> {
    for (let ms = FIRST_LOOK_MS; this.isAlive(); ms = Math.min(2 * ms, LAST_LOOK_MS)) {
      await sleep(ms);
    }
  }

  /**
   * Its running processes; none if they are not visible. Zombies do not count: if the first process of
   * a container never waits for its children, they stay indefinitely.
   */
  members(): readonly number[] {
    if (!canSeeAllProcesses || this.#isReplaced()) return [];
    const { pid, isAlone } = this.id;
    const candidates = isAlone ? [pid] : processes();
    return candidates.filter((each) => {
      const found = readProcess(each);
      return found?.isRunning === true && (isAlone || found.group === pid);
    });
  }

  /** False if no process is left. */
  #send(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(this.target, signal);
      return true;
    } catch (error) {
      // EPERM: the remaining process now runs as another user, and is alive.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  /** Whether a later process now has this number: this process may have been stopped for hours. */
  #isReplaced(): boolean {
    const { pid, bornAt } = this.id;
    if (bornAt === undefined) return false;
    const found = readProcess(pid);
    return found !== undefined && found.bornAt !== bornAt;
  }
}

/** The number of each process of the machine or container. */
export function processes(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

interface FoundProcess {
  readonly group: number;
  readonly bornAt: string;
  readonly isRunning: boolean;
}

/** Undefined if the process has ended or is not visible. */
function readProcess(pid: number): FoundProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program comes first, and may have parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group] = fields;
    const [threads, , bornAt = ''] = fields.slice(17);
    // The first thread can be a zombie while others are still running.
    const isRunning = !['Z', 'X'].includes(state) || Number(threads) > 1;
    return { group: Number(group), bornAt, isRunning };
  } catch {
    return undefined;
  }
}
