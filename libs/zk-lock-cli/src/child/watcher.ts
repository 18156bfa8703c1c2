import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessGroup } from './process-group.js';

/** Reads a line, and kills its target where the input ends without one. */
const SCRIPT = 'read -r line || kill -s KILL -- "$0"';

/**
 * Kills a command when this process is gone, also where zk-lock was killed with it. It is a shell, whose
 * input ends with this process. Where there is no shell, and on Windows, it does nothing.
 */
export class Watcher {
  readonly #shell: ChildProcess | undefined;

  constructor({ target }: ProcessGroup) {
    if (process.platform === 'win32') return;
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, String(target)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Out of reach of what is sent to the terminal's processes.
      detached: true,
    });
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** The command has ended. This process waits for the end of the shell, so that it leaves no zombie. */
  dismiss(): void {
    this.#shell?.stdin?.end('\n');
  }
}
