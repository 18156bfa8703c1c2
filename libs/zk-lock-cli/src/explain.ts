import { types } from 'node:util';
import {
  LockAccessError,
  LockLostError,
  LockTimeoutError,
  ZkLockConfigError,
  ZkLockError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { ageText, messageWithoutLink, nameHolder, shortAgeText, shownText } from 'zk-locks/inspect';
import { CannotStartError } from './child/guarded-child.js';
import { ExitCode } from './exit-codes.js';
import { whyLost } from './holding/why-lost.js';
import { flagOfOption } from './settings.js';
import { UsageError } from './usage-error.js';

/** An error, as it is shown to the user of the command. */
export interface Explanation {
  readonly message: string;
  readonly exitCode: number;
}

export function explain(error: unknown): Explanation {
  if (error instanceof UsageError) return { message: error.message, exitCode: ExitCode.usage };
  if (error instanceof CannotStartError) return explainStart(error);
  if (error instanceof ZkLockConfigError && error.option === 'marginMs') {
    return { message: LONG_KILL_AFTER, exitCode: ExitCode.usage };
  }
  if (error instanceof ZkLockConfigError) {
    return { message: inFlags(messageWithoutLink(error)), exitCode: ExitCode.usage };
  }
  if (error instanceof LockTimeoutError) {
    return { message: busy(error), exitCode: ExitCode.notAcquired };
  }
  if (error instanceof LockLostError) {
    const message = `The lock "${shownText(error.key)}" was lost: ${whyLost(error)}.`;
    return { message, exitCode: ExitCode.lost };
  }
  if (error instanceof ZkLockError) {
    return { message: inFlags(messageWithoutLink(error)), exitCode: exitCodeOf(error) };
  }
  // This is a bug in zk-lock, so the stack trace helps to find it.
  const message = types.isNativeError(error) ? (error.stack ?? error.message) : String(error);
  return { message, exitCode: ExitCode.failed };
}

const LONG_KILL_AFTER =
  "--kill-after is too long for the session that ZooKeeper has granted: pass less, or a longer --session-timeout (ZK_LOCK_SESSION_TIMEOUT), up to the servers' maxSessionTimeout.";

/** The library's advice to programs, and the corresponding advice here. */
const ADVICE: readonly (readonly [toPrograms: string, here: string])[] = [
  [
    'Check the `servers` option, and that a majority of the servers is running. To start without them, set `lazy: true` (in Nest) or call `start({ wait: false })`.',
    'Check `servers`, and that a majority of the servers is running: "zk-lock doctor" tells you more.',
  ],
  [
    'correct the `servers` option. In a test, use withEmbeddedZooKeeper() of nestjs-zk-lock/testing.',
    'correct `servers`: "zk-lock doctor" says more.',
  ],
  [
    'Use it with `semaphore(key)`, and give the lock another key.',
    '"zk-lock run" takes one of its permits with `permits`; locks need another key.',
  ],
  [' To change it while they run, use { sharedCount, seed }; once', ' Once'],
  [
    'Pass { username, password }, both non-empty strings, without ":" in the user name.',
    'Neither the user name nor the password can be empty, and the user name cannot contain ":".',
  ],
  [' in PEM format, as strings or buffers.', ' in PEM format.'],
  [', or together with `withLocks()`.', ', or together.'],
  [
    'Leave out `reentrant: false`, which jobs imply, or release the outer lock first.',
    'To end it now, stop its program.',
  ],
];

/** A message of the library, with the names that options have here. */
export function inFlags(message: string): string {
  return ADVICE.reduce((text, [toPrograms, here]) => text.replace(toPrograms, here), message)
    .replace(/ See (?:"[^"]*" in )?\S*docs\/\S+\.md(?:#\w+)?\.?/g, '')
    .replace(/(?<=; trying again: )\w+Error: /, '')
    .replace(/: docs\/\S+\.md of nestjs-zk-lock(?: has its configuration)?/g, '')
    .replace(
      /an integer from (\d+) to (\d+) \(milliseconds\); got (\d+)\. Pass (\d+)/g,
      'a time from $1ms to $2ms; got $3ms. Pass $4ms',
    )
    .replace(/, to (\d+) or more;/g, ', to $1ms or more;')
    .replace(/`([\w.]+)`(?: option)?/g, (_quoted, option: string) => flagOfOption(option) ?? option)
    .replace(/`(\w+): (?:true|'([\w-]+)')`/g, (quoted, option: string, value?: string) =>
      [flagOfOption(option) ?? quoted, ...(value === undefined ? [] : [value])].join(' '),
    );
}

function exitCodeOf(error: ZkLockError): number {
  if (error instanceof ZooKeeperUnavailableError) return ExitCode.unavailable;
  if (error instanceof LockAccessError) return ExitCode.refused;
  return error.code === 'LOCK_KEY_INVALID' ? ExitCode.usage : ExitCode.failed;
}

function busy({ key, mode, timeoutMs, holders }: LockTimeoutError): string {
  const wait = timeoutMs === 0 ? '' : ` after ${shortAgeText(timeoutMs)}`;
  const busyText = timeoutMs === 0 ? 'busy' : 'still busy';
  const name = `"${shownText(key)}"`;
  const state = mode === 'permit' ? `no permit of ${name} was free` : `${name} was ${busyText}`;
  const held = holders.map(({ holder, since }) => describeHolding(holder, since));
  return `${state}${wait}${held.length === 0 ? '' : `; held ${held.join(', ')}`}.`;
}

/** `for 5 min 03 s by billing on web-1 (pid 42) "nightly report"`: its end may be cut. */
export function describeHolding(
  holder: HolderName | undefined,
  since: Date,
  now = Date.now(),
): string {
  const name = holder ? nameHolder(holder) : 'a program of another library';
  if (holder?.cohort) return `for several calls by ${name}`;
  return `for ${ageText(now - since.getTime())} by ${name}`;
}

interface HolderName {
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
  readonly label?: string | undefined;
  /** Whether its node serves several calls, whose ages no other process knows. */
  readonly cohort?: boolean | undefined;
}

function explainStart({ command, code }: CannotStartError): Explanation {
  if (code === 'ENOENT') {
    return { message: `"${command}" was not found.`, exitCode: ExitCode.notFound };
  }
  const isOurs = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(code);
  const exitCode = isOurs ? ExitCode.failed : ExitCode.cannotRun;
  return { message: `"${command}" cannot be run (${code}).`, exitCode };
}
