import { writeSync } from 'node:fs';
import { cleanText } from 'zk-locks/inspect';

/** A line on standard error. Several lines of `text` are several lines. */
export function warn(text: string): void {
  const lines = text.split('\n').map((line) => `zk-lock: ${cleanText(line)}\n`);
  writeError(lines.join(''));
}

/**
 * Not by `process.stderr`, which makes a pipe non-blocking: the command has the same one, and would be
 * told EAGAIN.
 */
export function writeError(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // It is closed, or full: the exit code tells the rest.
  }
}
