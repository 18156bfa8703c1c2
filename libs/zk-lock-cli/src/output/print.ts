import { cleanText } from 'zk-locks/inspect';
import { ExitCode } from '../exit-codes.js';
import { warn } from './say.js';

let isListening = false;

/** Whether this program does more than to print, and goes on where nothing can be printed. */
let goesOn = false;

/** Lines on standard output. They are an array: so many arguments as keys can be do not fit on the stack. */
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
  // The reader has gone, as `head` does: there is nothing more to say.
  const isUnread = code === 'EPIPE';
  if (!isUnread) warn(`Standard output cannot be written (${code}).`);
  if (!goesOn) process.exit(isUnread ? undefined : ExitCode.failed);
}

/** One JSON object a line. What JSON cannot carry, tokens, are strings. */
export function printJson(values: readonly object[]): void {
  print(values.map(toJson));
}

/** What a reader does not see, or sees in another order, stands as `\u202e`, which JSON reads as the same. */
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

/** What happened, as a line for people or for programs. What happens goes on also without a reader. */
export function printEvent(isJson: boolean, event: object, text: string): void {
  goesOn = true;
  if (isJson) printJson([{ ...event, at: new Date() }]);
  else print(cleanText(text));
}
