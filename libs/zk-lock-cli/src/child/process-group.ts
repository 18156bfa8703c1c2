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

  isAlive(): boolean {
    return this.signal(0);
  }
}
