import { writeSync } from 'node:fs';
import { cleanText } from 'zk-locks/inspect';

const START_OF_LINE = '\r\u001B[K';

let isLineShown = false;

/** Shows `line` on the terminal, in place of the line that was shown last, until {@link eraseLine}. */
export function showLine(line: string): void {
  writeError(`${START_OF_LINE}${line}`);
  isLineShown = true;
}

export function eraseLine(): void {
  if (isLineShown) writeError(START_OF_LINE);
  isLineShown = false;
}

/** Writes `text` to standard error; each of its lines becomes a line. */
export function warn(text: string): void {
  eraseLine();
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
