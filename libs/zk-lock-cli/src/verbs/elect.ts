import { type LeaderElection, LockLostError, type Locks, NotLeaderError } from 'zk-locks';
import { Signals } from '../child/signals.js';
import { withLocks } from '../connection.js';
import { signalExitCode } from '../exit-codes.js';
import {
  COMMAND_FLAGS,
  type CommandSettings,
  marginOf,
  onSession,
  readCommand,
} from '../holding/command-flags.js';
import { type CommandEnd, type CommandOptions, runCommand } from '../holding/run-command.js';
import { heldLock } from '../holding/take.js';
import { TAKE_FLAGS } from '../holding/take-flags.js';
import { warn } from '../output/say.js';
import type { Call, Verb } from '../verb.js';

export const elect: Verb = {
  name: 'elect',
  summary: 'Runs a command on one machine at a time, and on the next one when the first is gone.',
  operands: ['KEY'],
  takesCommand: true,
  connects: true,
  flags: { label: TAKE_FLAGS.label, ...COMMAND_FLAGS },
  description: [
    'Takes part in the election of KEY, and runs the command while this process leads. If it loses the leadership, the command is ended as by "zk-lock run", and started again when this process leads again. zk-lock ends when the command ends by itself.',
    'The leader holds the write lock of KEY, so the election is shared with @OnlyLeader() methods, and "zk-lock show" shows it.',
  ],
  exitCodes: [
    ["the command's", 'the command ended; 128+n if signal n ended it'],
    ['69', 'ZooKeeper could not be reached at the start'],
    ['124', 'the command ran for longer than --max-hold'],
    ['128+n', 'signal n ended the wait'],
  ],
  examples: ['zk-lock elect scheduler -- node scheduler.js'],
  run: runElected,
};

async function runElected(call: Call): Promise<number> {
  const { flags } = call;
  const settings = readCommand(call);
  using signals = new Signals();
  const { interrupted } = signals;
  try {
    return await withLocks(flags, (locks) => lead(locks, call, settings, signals), {
      interrupted,
      marginMs: marginOf(settings),
    });
  } catch (error) {
    if (signals.first) return signalExitCode(signals.first);
    throw error;
  }
}

async function lead(
  locks: Locks,
  { flags, operands }: Call,
  settings: CommandSettings,
  signals: Signals,
): Promise<number> {
  const election = locks.election(operands[0] ?? '', {
    label: flags.text('label'),
    pattern: 'zk-lock',
  });
  try {
    for (;;) {
      await election.whenLeader({ signal: signals.interrupted });
      if (!signals.first) {
        const end = await runInTerm(election, onSession(locks, settings), signals);
        if (end && end.reason !== 'lost') return end.exitCode;
      }
      // The signal may have arrived together with the election.
      if (signals.first) return signalExitCode(signals.first);
      warn('Waiting to lead again.');
    }
  } finally {
    await election.close();
  }
}

/** Keeps the lock until the command has ended, even if the lead is lost. Undefined if it was lost before. */
async function runInTerm(
  election: LeaderElection,
  options: CommandOptions,
  signals: Signals,
): Promise<CommandEnd | undefined> {
  let end: CommandEnd | undefined;
  try {
    await election.asLeader(async (lock) => {
      end = await runCommand(heldLock(lock), options, signals);
    });
  } catch (error) {
    if (!(error instanceof LockLostError || error instanceof NotLeaderError)) throw error;
  }
  return end;
}
