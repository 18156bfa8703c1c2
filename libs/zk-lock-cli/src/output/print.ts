import { cleanText } from 'zk-locks/inspect';
import { ExitCode } from '../exit-codes.js';
import { warn } from './say.js';

let isListening = false;

/** Whether this program does more than print, and so continues if its output cannot be written. */
let goesOn = false;

let mayBeUnread = false;

/** Prints lines on standard output, as an array, because there can be more keys than arguments fit on the stack. */
export function print(lines: string | readonly string[]): void {
  if (!isListening) process.stdout.on('error', onFailure);
  isListening = true;
  process.stdout.write(
    [lines]
      .flat()
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function onFailure({ code = 'unknown' }: NodeJS.ErrnoException): void {
  // The reader, such as `head`, has gone.
  const isUnread = code === 'EPIPE';
  if (!isUnread) warn(`Standard output cannot be written (${code}).`);
  if (goesOn || (isUnread && mayBeUnread)) return;
  if (!isUnread) process.exitCode = ExitCode.failed;
  process.exit();
}

/** Prints one JSON object per line. Tokens are strings, because JSON has no bigint. */
export function printJson(values: readonly object[]): void {
  print(values.map(toJson));
}

/** Escapes characters that are invisible or change the order of others, as in `\u202e`; the JSON stays the same. */
export function toJson(value: object): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  );
  return text.replace(UNSEEN, (character) => {
    const units = Array.from({ length: character.length }, (_, index) =>
      character.charCodeAt(index),
    );
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Continues without a reader, but fails if the output cannot be written for another reason. */
export function continueUnread(): void {
  mayBeUnread = true;
}

/** Prints an event as a line, for people or for programs. The program continues even without a reader. */
export function printEvent(isJson: boolean, event: object, text: string): void {
  goesOn = true;
  if (isJson) printJson([{ ...event, at: new Date() }]);
  else print(cleanText(text));
}
