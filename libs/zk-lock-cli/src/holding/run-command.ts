import { shortAgeText, shownText } from 'zk-locks/inspect';
import { ExitCode, signalExitCode } from '../exit-codes.js';
import { GuardedChild, type ChildOptions } from '../child/guarded-child.js';
import { type ChildEnd, monotonicMs } from '../child/messages.js';
import type { Signals } from '../child/signals.js';
import { warn } from '../output/say.js';
import type { Held } from './take.js';
import { whyLost } from './why-lost.js';

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly foreground: boolean;
  readonly killAfterMs: number;
  readonly lookEveryMs: number;
  readonly maxHoldMs: number | undefined;
  /** The signal that the command gets when another process asks for the lock. */
  readonly revokeSignal: NodeJS.Signals | undefined;
  readonly msLeft: () => number;
}

/** How the command ended, and the exit code of zk-lock. */
export interface CommandEnd {
  readonly reason: 'ended' | 'lost' | 'max-hold';
  readonly exitCode: number;
}

/** The signals that a terminal sends to all processes of its foreground group, including the command. */
const BY_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGWINCH'];

/**
 * Runs the command while the lock is held, and resolves when none of its processes is
 * left. It does not release the lock.
 *
 * @throws {CannotStartError}
 */
export async function runCommand(
  held: Held,
  options: CommandOptions,
  signals: Signals,
): Promise<CommandEnd> {
  const { foreground, maxHoldMs, revokeSignal } = options;
  let reason = 'ended' as CommandEnd['reason'];
  let hasToldOfRest = false;
  const onOutlasts = (pids: readonly number[]): void => {
    if (!hasToldOfRest) warn(outlasts(held, pids));
    hasToldOfRest = true;
  };
  const child = new GuardedChild({ ...options, environment: environmentFor(held), onOutlasts });

  // After a pause of this process, timers run before it reads that the command has ended.
  let hasEnded = false as boolean;
  const unlessEnded = (listener: () => void) => () =>
    setImmediate(() => {
      if (!hasEnded) listener();
    });

  const takeBack = signals.passOn(
    (signal) => {
      // Until the guard has reported the start, the terminal's signal may have reached only zk-lock and the
      // guard, which ignores it. A command that has just started may get it twice.
      if (!foreground || !child.hasStarted || !BY_TERMINAL.includes(signal)) child.signal(signal);
    },
    () => {
      // The terminal has stopped a command that is in its foreground.
      if (foreground) child.signal('SIGCONT');
      warn('Not stopped: a process that is stopped cannot keep its lock.');
    },
  );
  let lostAt = Infinity;
  // Before anything is written: a write to a full pipe waits for its reader.
  const stopCommand = (): void => {
    lostAt = monotonicMs();
    if (isStillKept(held)) child.end();
    else child.kill();
  };
  const tellLoss = (): void => {
    reason = 'lost';
    warn(lossOf(held));
  };
  const onRevoked = (): void => {
    const whatNow = revokeSignal ? `sending ${revokeSignal} to the command` : 'continuing';
    if (revokeSignal) child.signal(revokeSignal);
    warn(`Another process has asked for "${shownText(held.key)}": ${whatNow}.`);
  };
  const onMaxHold = (): void => {
    if (reason === 'ended') reason = 'max-hold';
    child.end();
    warn(`The command has run for ${shortAgeText(maxHoldMs ?? 0)} (--max-hold): ending it.`);
  };
  const maxHold = setMaxHold(maxHoldMs, unlessEnded(onMaxHold));
  const stopListening = [
    listen(held.signal, stopCommand),
    listen(held.signal, unlessEnded(tellLoss)),
    listen(held.revoked, unlessEnded(onRevoked)),
  ];
  try {
    const end = await child.ended;
    // The loss may have ended the command before it was told.
    if (end.endedAt >= lostAt && reason !== 'lost') tellLoss();
    if (end.wasGuardKilled) warn(guardKilled(child));
    if (end.wasLeaseOver && reason !== 'lost') warn(leaseOver(held));
    if (end.wasLeaseOver) reason = 'lost';
    return { reason, exitCode: exitCodeOf(end, reason) };
  } finally {
    hasEnded = true;
    takeBack();
    clearTimeout(maxHold);
    for (const stop of stopListening) stop();
  }
}

export function exitCodeOf({ code, signal }: ChildEnd, reason: CommandEnd['reason']): number {
  if (reason === 'lost') return ExitCode.lost;
  if (reason === 'max-hold') return ExitCode.maxHold;
  return signal === null ? (code ?? ExitCode.failed) : signalExitCode(signal);
}

/** The environment of the command. */
function environmentFor({ key, mode, token }: Held): ChildOptions['environment'] {
  const { ZK_LOCK_TOKEN: _, ...environment } = process.env;
  return {
    ...environment,
    ZK_LOCK_KEY: key,
    ZK_LOCK_MODE: mode,
    ...(token !== undefined && { ZK_LOCK_TOKEN: String(token) }),
  };
}

/** Whether ZooKeeper keeps the lock for this process until the lease deadline. */
function isStillKept({ signal }: Held): boolean {
  const { reason } = signal.reason as { reason?: string };
  return reason === 'margin-reached';
}

function lossOf({ key, signal }: Held): string {
  return `The lock "${shownText(key)}" was lost: ${whyLost(signal.reason)}. Ending the command.`;
}

function leaseOver({ key }: Held): string {
  return `The lock "${shownText(key)}" could not be kept: zk-lock has not confirmed its session in time. The command was ended, or not started.`;
}

function guardKilled({ hasStarted }: GuardedChild): string {
  return hasStarted
    ? 'The guard of the command was killed, so the command was killed, too.'
    : 'The guard of the command was killed before it had reported that the command was running.';
}

function outlasts(held: Held, pids: readonly number[]): string {
  const which =
    pids.length === 1
      ? `Process ${pids.join()} of the command still runs`
      : `Processes of the command still run${pids.length > 0 ? ` (${pids.join(', ')})` : ''}`;
  const key = `"${shownText(held.key)}"`;
  const whatOfKey =
    held.signal.aborted && !isStillKept(held)
      ? `; ${key} is already lost`
      : `, and keeping ${key} as long as ZooKeeper confirms the session`;
  return `${which} after SIGKILL: waiting for ${pids.length === 1 ? 'it' : 'them'} to end${whatOfKey}.`;
}

function setMaxHold(ms: number | undefined, onOver: () => void): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setTimeout(onOver, ms);
}

function listen(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
}
