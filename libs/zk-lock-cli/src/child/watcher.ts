import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessGroup } from './process-group.js';

/** Reads a target, then another line, and kills the target where the input ends without that. */
const SCRIPT = 'read -r target && { read -r line || kill -s KILL -- "$target"; }';

/**
 * Kills a command when this process is gone, also where zk-lock was killed with it. It is a shell, whose
 * input ends with this process. It starts before the command, so that hardly a moment is left in which both
 * can be gone and the command runs. Where there is no shell, and on Windows, it does nothing.
 */
export class Watcher {
  readonly #shell: ChildProcess | undefined;

  constructor() {
    if (process.platform === 'win32') return;
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Out of reach of what is sent to the terminal's processes.
      detached: true,
    });
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** To be called as soon as the command has started. */
  watch({ target }: ProcessGroup): void {
    this.#shell?.stdin?.write(`${target}\n`);
  }

  /** The command has ended, or did not start. This process waits for the end of the shell, so that it leaves no zombie. */
  dismiss(): void {
    this.#shell?.stdin?.end('\n\n');
  }
}
