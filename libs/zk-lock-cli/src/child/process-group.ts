import { readdirSync, readFileSync } from 'node:fs';

const isWindows = process.platform === 'win32';

/**
 * The command and what it has started, as far as that stays in its process group. On Windows, and in
 * the foreground, the command alone.
 */
export class ProcessGroup {
  readonly #target: number;

  constructor(
    pid: number,
    readonly isAlone = isWindows,
  ) {
    this.#target = isAlone ? pid : -pid;
  }

  /** False where nothing is left of it. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(this.#target, signal);
      return true;
    } catch (error) {
      // EPERM: what is left has another user by now, and lives.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  /**
   * Whether anything of it runs. In Linux, zombies do not count: where the first process of a container
   * never asks for its children, they stay for good.
   */
  isAlive(): boolean {
    if (!this.signal(0)) return false;
    if (process.platform !== 'linux' || this.isAlone) return true;
    try {
      return readdirSync('/proc').some((name) => isRunningIn(name, -this.#target));
    } catch {
      return true;
    }
  }
}

/** @param name of a directory in /proc, the number of a process among others */
function isRunningIn(name: string, group: number): boolean {
  if (!/^\d+$/.test(name)) return false;
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    // Behind the name of its program, which may have parentheses: state, parent, group.
    const [, state, of] = /\) (\w) \d+ (\d+) [^)]*$/.exec(stat) ?? [];
    return Number(of) === group && state !== 'Z' && state !== 'X';
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
