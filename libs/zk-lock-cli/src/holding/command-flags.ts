import { constants } from 'node:os';
import type { Locks } from 'zk-locks';
import { leaseMsLeft } from 'zk-locks/inspect';
import type { Flags } from '../flags.js';
import { EARLY_MS, killAfterMs } from '../kill-after.js';
import { DEFAULT_SESSION_TIMEOUT_MS, DEFAULT_TICK_TIME_MS } from '../settings.js';
import { UsageError } from '../usage-error.js';
import type { Call } from '../verb.js';
import type { CommandOptions } from './run-command.js';

/** The flags of verbs that run a command. */
export const COMMAND_FLAGS = {
  'kill-after': {
    value: 'TIME',
    short: 'k',
    help: 'The time from SIGTERM to SIGKILL (default 2s, less if the session is short).',
  },
  'max-hold': {
    value: 'TIME',
    help: 'Ends the command after TIME; the exit code is 124.',
  },
  'revoke-signal': {
    value: 'SIGNAL',
    help: 'The signal that the command gets when "zk-lock revoke" asks for the lock, for example TERM (default: none).',
    choices: ['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2'],
  },
  foreground: {
    help: 'Runs the command in the foreground of the terminal. Then only the command itself is ended, not what it has started.',
  },
} satisfies Flags;

/** The longest time between two checks of the lease, in ms, and as a fraction of the session timeout. */
const LOOK_MS = 500;
const LOOKS = 0.05;

/** How a command is run, apart from the session that it depends on. */
export type CommandSettings = Omit<CommandOptions, 'msLeft'>;

/** @throws {UsageError} */
export function readCommand({ flags, command: words }: Call): CommandSettings {
  const [command = '', ...args] = words;
  const sessionMs = flags.durationMs('session-timeout') ?? DEFAULT_SESSION_TIMEOUT_MS;
  const tickMs = flags.durationMs('tick-time') ?? DEFAULT_TICK_TIME_MS;
  return {
    command,
    args,
    foreground: flags.isOn('foreground'),
    killAfterMs: killAfterMs(flags.durationMs('kill-after'), sessionMs, tickMs),
    lookEveryMs: Math.min(LOOK_MS, sessionMs * LOOKS),
    maxHoldMs: flags.durationMs('max-hold'),
    revokeSignal: readSignal(flags.text('revoke-signal')),
  };
}

/** How long before the lease deadline the command is asked to end. */
export function marginOf({ killAfterMs: ms }: CommandSettings): number {
  return ms + EARLY_MS;
}

/** How the command is run on the session of `locks`. */
export function onSession(locks: Locks, settings: CommandSettings): CommandOptions {
  const { state } = locks.session.snapshot;
  // The servers may have granted a shorter session than was requested.
  const sessionMs = state.name === 'connected' ? state.timeoutMs : Infinity;
  return {
    ...settings,
    lookEveryMs: Math.min(settings.lookEveryMs, sessionMs * LOOKS),
    msLeft: () => Math.max(0, leaseMsLeft(locks) - EARLY_MS),
  };
}

function readSignal(text: string | undefined): NodeJS.Signals | undefined {
  if (text === undefined) return undefined;
  const name = `SIG${text.toUpperCase().replace(/^SIG/, '')}`;
  if (Object.keys(constants.signals).includes(name)) return name as NodeJS.Signals;
  throw new UsageError(`--revoke-signal is "${text}": pass the name of a signal, such as TERM.`);
}
