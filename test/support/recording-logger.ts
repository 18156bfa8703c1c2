import type { ZkLockLogger } from '../../libs/zk-client/src/logger.js';

/** Records log lines as `level: message`. */
export class RecordingLogger implements ZkLockLogger {
  readonly lines: string[] = [];
  readonly debug = this.#as('debug');
  readonly log = this.#as('log');
  readonly warn = this.#as('warn');
  readonly error = this.#as('error');

  /** The lines of these levels. */
  of(...levels: readonly (keyof ZkLockLogger)[]): string[] {
    return this.lines.filter((line) => levels.some((level) => line.startsWith(`${level}: `)));
  }

  #as(level: keyof ZkLockLogger): (message: string) => void {
    return (message) => void this.lines.push(`${level}: ${message}`);
  }
}
