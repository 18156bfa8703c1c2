import { writeSync } from 'node:fs';
import { cleanText } from 'zk-locks/inspect';

/** Writes `text` to standard error; each of its lines becomes a line. */
export function warn(text: string): void {
  const lines = text.split('\n').map((line) => `zk-lock: ${cleanText(line)}\n`);
  writeError(lines.join(''));
}

/**
 * Does not use `process.stderr`, which makes a pipe non-blocking: the command shares that pipe, and
 * would get EAGAIN.
 */
export function writeError(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Standard error is closed or full. The exit code still shows the outcome.
  }
}
