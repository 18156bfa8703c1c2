import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessGroup } from './process-group.js';

/** Reads a target, then another line, and kills the target if the input ends without that line. */
const SCRIPT = 'read -r target && { read -r line || kill -s KILL -- "$target"; }';

/**
 * Kills a command when this process is gone, even if zk-lock was killed with it. It is a shell whose
 * input ends with this process. It starts before the command, which leaves hardly a moment in which both
 * can be gone while the command is running. Without a shell, and on Windows, it does nothing.
 */
export class Watcher {
  readonly #shell: ChildProcess | undefined;

  constructor() {
    if (process.platform === 'win32') return;
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Out of reach of signals to the terminal's processes.
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
