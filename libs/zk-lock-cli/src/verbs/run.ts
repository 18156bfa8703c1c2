import { COMMAND_FLAGS, marginOf, msLeftOf, readCommand } from '../holding/command-flags.js';
import { runCommand } from '../holding/run-command.js';
import { TAKE_FLAGS } from '../holding/take-flags.js';
import { whileHeld, type WorkWhileHeld } from '../holding/while-held.js';
import type { Call, Verb } from '../verb.js';

export const run: Verb = {
  name: 'run',
  summary: 'Runs a command while a lock is held.',
  operands: ['KEY'],
  takesCommand: true,
  connects: true,
  flags: { ...TAKE_FLAGS, ...COMMAND_FLAGS },
  description: [
    'Waits for the lock of KEY, runs the command, and gives the lock back when the command and all that it has started in its process group have ended.',
    'The command sees ZK_LOCK_KEY, ZK_LOCK_MODE (write, read or permit) and ZK_LOCK_TOKEN: the fencing token, a number that rises with each grant of the key. It gets the signals that zk-lock gets.',
    'The command never runs without its lock. Where ZooKeeper does not confirm the session, it gets SIGTERM --kill-after before the lock may go to another holder, and SIGKILL before that moment. Where the lock is gone at once (its session ended by the server, its node deleted), it gets SIGKILL. So does everything in its process group. This also goes for a zk-lock that was killed or stopped: a guard process ends the command. Where both are stopped (SIGSTOP) no program can end it: let the resource compare ZK_LOCK_TOKEN.',
    'The command runs in a session of its own. It reads from the terminal and writes to it, Ctrl-C reaches it, and Ctrl-Z is refused. Programs that open /dev/tty, such as ssh and sudo for passwords, or that control jobs, such as an interactive shell, need --foreground.',
  ],
  exitCodes: [
    ["the command's", 'it ended; 128+n where a signal n ended it'],
    ['64', 'zk-lock was called wrongly'],
    ['69', 'ZooKeeper could not be reached'],
    ['75', 'the lock was busy (-E gives another code)'],
    ['76', 'the lock was lost, and the command was ended'],
    ['77', "ZooKeeper's ACLs refuse access"],
    ['124', '--max-hold was over'],
    ['125', 'zk-lock itself failed'],
    ['126, 127', 'the command cannot be run, was not found'],
    ['128+n', 'a signal n ended the wait; nothing was started'],
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
    const options = { ...settings, msLeft: msLeftOf(locks) };
    return (await runCommand(held, options, signals)).exitCode;
  };
  return whileHeld(call, work, marginOf(settings));
}
