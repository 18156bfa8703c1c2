import { cleanText } from 'zk-locks/internal';

/** Lines on standard output. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
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
