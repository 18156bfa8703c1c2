import { ExitCode } from '../exit-codes.js';
import type { FlagValues, Flags } from '../flags.js';
import { UsageError } from '../usage-error.js';
import type { Wanted } from './take.js';

/** The flags of verbs that take a lock or a permit. */
export const TAKE_FLAGS = {
  read: { short: 'r', help: 'Takes the read lock: other readers may hold it too.' },
  permits: {
    value: 'N',
    short: 'p',
    help: "Takes one of N permits of the key's semaphore. Use the same N in all processes.",
  },
  try: { short: 'n', help: 'Does not wait: exits at once if the lock is busy.' },
  wait: { value: 'TIME', short: 'w', help: 'The maximum time to wait (default: no limit).' },
  'conflict-exit-code': {
    value: 'CODE',
    short: 'E',
    help: 'The exit code if the lock is busy (default 75).',
  },
  label: {
    value: 'TEXT',
    short: 'l',
    help: 'What the lock is for; shown to others in plain text.',
  },
} satisfies Flags;

const MAX_PERMITS = 8_000;
const MAX_EXIT_CODE = 255;

/** @throws {UsageError} */
export function readWanted(key: string, flags: FlagValues): Wanted {
  refuseBoth(flags, 'try', 'wait');
  refuseBoth(flags, 'read', 'permits');
  const permits = flags.integer('permits', 1, MAX_PERMITS);
  const waitMs = flags.durationMs('wait') ?? Infinity;
  return {
    key,
    permits,
    mode: permits !== undefined ? 'permit' : flags.isOn('read') ? 'read' : 'write',
    timeoutMs: flags.isOn('try') ? 0 : waitMs,
    label: flags.text('label'),
  };
}

export function conflictExitCode(flags: FlagValues): number {
  return flags.integer('conflict-exit-code', 0, MAX_EXIT_CODE) ?? ExitCode.notAcquired;
}

function refuseBoth(flags: FlagValues, one: string, other: string): void {
  if (flags.has(one) && flags.has(other)) {
    throw new UsageError(`--${one} and --${other} exclude each other: leave out one of them.`);
  }
}
