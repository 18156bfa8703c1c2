import { cleanText } from 'zk-locks/internal';

let isListening = false;

/** Lines on standard output. */
export function print(...lines: readonly string[]): void {
  if (!isListening) process.stdout.on('error', endQuietly);
  isListening = true;
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** The reader has gone, as `head` does: there is nothing more to say. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

/** One JSON object a line. What JSON cannot carry, tokens, are strings. */
export function printJson(...values: readonly object[]): void {
  print(...values.map(toJson));
}

export function toJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  );
}

/** What happened, as a line for people or for programs. */
export function printEvent(isJson: boolean, event: object, text: string): void {
  if (isJson) printJson({ ...event, at: new Date() });
  else print(cleanText(text));
}
