import { COMMAND_FLAGS, marginOf, onSession, readCommand } from '../holding/command-flags.js';
import { runCommand } from '../holding/run-command.js';
import { TAKE_FLAGS } from '../holding/take-flags.js';
import { whileHeld, type WorkWhileHeld } from '../holding/while-held.js';
import type { Call, Verb } from '../verb.js';

export const run: Verb = {
  name: 'run',
  summary: 'Runs a command while holding a lock.',
  operands: ['KEY'],
  takesCommand: true,
  connects: true,
  flags: { ...TAKE_FLAGS, ...COMMAND_FLAGS },
  description: [
    'Waits for the lock of KEY, runs the command, ends the processes that it has left in its process group, and then releases the lock.',
    'The environment of the command has ZK_LOCK_KEY, ZK_LOCK_MODE (write, read or permit) and, except for permits, ZK_LOCK_TOKEN: the fencing token, which rises with each grant of the key. Signals that zk-lock gets are forwarded to the command.',
    'The command and its process group are ended before the lock can go to another holder: they get SIGTERM --kill-after before that moment, and SIGKILL just before it. If the lock is already lost, they get SIGKILL at once. If zk-lock is killed or stopped, a guard process ends them. If the guard is stopped as well (SIGSTOP), no program can end them: let the resource compare ZK_LOCK_TOKEN. Processes of another user cannot be ended either: instead of "zk-lock run KEY -- sudo COMMAND", write "sudo zk-lock run KEY -- COMMAND".',
    'Ctrl-C reaches the command, and Ctrl-Z is refused. Programs that open /dev/tty, such as ssh and sudo for passwords, or that control jobs, such as an interactive shell, need --foreground.',
  ],
  exitCodes: [
    ["the command's", 'the command ended; 128+n if signal n ended it'],
    ['64', 'the arguments of zk-lock are wrong'],
    ['69', 'ZooKeeper could not be reached'],
    ['75', 'the lock was busy (-E selects another code)'],
    ['76', 'the lock was lost, and the command was ended'],
    ['77', "ZooKeeper's ACLs refuse access"],
    ['124', 'the command ran for longer than --max-hold'],
    ['125', 'zk-lock itself failed'],
    ['126, 127', 'the command cannot be run; the command was not found'],
    ['128+n', 'signal n ended the wait; nothing was started'],
  ],
  examples: [
    'zk-lock run nightly-report --try -- ./report.sh',
    'zk-lock run deploy:web --wait 5m --max-hold 1h -- make deploy',
    'zk-lock run gpu --permits 4 -- python train.py',
  ],
  run: runUnderLock,
};

async function runUnderLock(call: Call): Promise<number> {
  const settings = readCommand(call);
  const work: WorkWhileHeld = async (locks, held, signals) => {
    return (await runCommand(held, onSession(locks, settings), signals)).exitCode;
  };
  return whileHeld(call, work, marginOf(settings));
}
