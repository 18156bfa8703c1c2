import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** In Linux, unless those of other users are hidden. */
const canSeeAllProcesses = existsSync('/proc/1/stat');

/** How often a group is looked at, in ms; less often the longer it lives. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;

/**
 * How long a process may live after SIGKILL before people are told, in ms. A process that waits for a disk
 * or a network lives until that answers.
 */
export const GONE_WITHIN_MS = 1_000;

/** Distinguishes a group from a later one with the same number. */
export interface GroupId {
  /** The id of the command, which is the first process of the group. */
  readonly pid: number;
  /** When the command was started, as Linux counts it; undefined where that cannot be seen. */
  readonly bornAt: string | undefined;
  /** Whether the command alone is meant: on Windows, and in the foreground. */
  readonly isAlone: boolean;
}

/**
 * The command and what it has started, as far as that stays in its process group. On Windows, and in
 * the foreground, the command alone.
 */
export class ProcessGroup {
  /** As `kill` takes it. */
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

  /** Whether anything of it runs. */
  isAlive(): boolean {
    return this.#send(0) && (!canSeeAllProcesses || this.members().length > 0);
  }

  /** Kills it, and resolves when nothing of it runs. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.gone();
  }

  /** Resolves when nothing of it runs. */
  async gone(): Promise<void> {
    for (let ms = FIRST_LOOK_MS; this.isAlive(); ms = Math.min(2 * ms, LAST_LOOK_MS)) {
      await sleep(ms);
    }
  }

  /**
   * The processes of it that run; none where they cannot be seen. Zombies do not count: where the first
   * process of a container never asks for its children, they stay for good.
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

  /** False where nothing is left of it. */
  #send(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(this.target, signal);
      return true;
    } catch (error) {
      // EPERM: what is left has another user by now, and lives.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  /** Whether the number belongs to a later process by now: this process may have been stopped for hours. */
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

/** Undefined where it has ended, and where it cannot be seen. */
function readProcess(pid: number): FoundProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program comes first, and may have parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group] = fields;
    const [threads, , bornAt = ''] = fields.slice(17);
    // The first thread is a zombie also while others go on.
    const isRunning = !['Z', 'X'].includes(state) || Number(threads) > 1;
    return { group: Number(group), bornAt, isRunning };
  } catch {
    return undefined;
  }
}
