import { type BreakOptions, LockNotBrokenError, type Locks } from 'zk-locks';
import { nameHolder, shownText, textShownAs } from 'zk-locks/inspect';
import { withLocks } from '../connection.js';
import { ExitCode } from '../exit-codes.js';
import { explain } from '../explain.js';
import type { Flags } from '../flags.js';
import { JSON_FLAG } from '../flags.js';
import { printEvent } from '../output/print.js';
import { warn } from '../output/say.js';
import { UsageError } from '../usage-error.js';
import type { Call, Verb } from '../verb.js';

export const breakLock: Verb = {
  name: 'break',
  summary: 'Takes a lock from exactly one process, identified by its node and fencing token.',
  operands: ['KEY'],
  connects: true,
  flags: {
    node: {
      value: 'NODE',
      short: 'n',
      help: 'The node of the process, as "zk-lock show KEY" prints it.',
    },
    token: { value: 'TOKEN', short: 't', help: 'The fencing token, from the same line.' },
    yes: { help: 'Confirms; required.' },
    foreign: { help: 'Also breaks a node of another library, or one made by hand.' },
    ...JSON_FLAG,
  } satisfies Flags,
  description: [
    'Takes the lock of KEY from the process with that node and fencing token. The process is told, and by whom. If it does not give way within a second, its node is deleted. Nothing else is deleted.',
    'A node with the note "several calls" serves calls of its process one after another. Whichever call has the lock now loses it, even while the process is stopped.',
    'The guarantees of the lock end then: work that ignores its signal continues beside the next holder. If you can, end the process instead, or ask it with "zk-lock revoke". A command of "zk-lock run" gets SIGKILL.',
  ],
  exitCodes: [
    ['0', 'the lock was broken'],
    ['1', 'nothing was broken: no process has this node and token now, or the node is foreign'],
    ['64', '--node, --token or --yes is missing'],
  ],
  examples: [
    'zk-lock break deploy:web --node _c_11111111-2222-3333-4444-555555555555-__WRIT__0000000007 --token 4398046511104 --yes',
  ],
  run: ({ flags, operands }: Call) => {
    const key = textShownAs(operands[0] ?? '');
    const node = readNode(flags.text('node'));
    const token = readToken(flags.text('token'));
    if (!flags.isOn('yes')) {
      throw new UsageError(
        'Nothing was done, because work under the lock may continue beside the next holder. Pass --yes to break the lock anyway.',
      );
    }
    const isJson = flags.isOn('json');
    return withLocks(flags, (locks) =>
      takeAway(locks, { key, node, token, foreign: flags.isOn('foreign') }, isJson),
    );
  },
};

async function takeAway(
  locks: Locks,
  { key, ...options }: Required<BreakOptions> & { readonly key: string },
  isJson: boolean,
): Promise<number> {
  try {
    const { holder, mode, node } = await locks.breakLock(key, options);
    const who = holder ? nameHolder(holder) : node;
    const news = { event: 'broken', key, token: options.token, mode, node, holder };
    const which = holder?.cohort ? ', from the call that held it' : '';
    printEvent(isJson, news, `took "${shownText(key)}" (${mode}) from ${who}${which}`);
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof LockNotBrokenError)) throw error;
    warn(explain(error).message);
    return ExitCode.negative;
  }
}

function readNode(text: string | undefined): string {
  if (text) return text;
  throw new UsageError('--node is missing: pass the node that "zk-lock show KEY" prints.');
}

function readToken(text: string | undefined): bigint {
  if (text === undefined) {
    throw new UsageError(
      '--token is missing: pass the fencing token that "zk-lock show KEY" prints.',
    );
  }
  if (/^\d+$/.test(text)) return BigInt(text);
  throw new UsageError(`--token is "${text}": pass the number that "zk-lock show KEY" prints.`);
}
