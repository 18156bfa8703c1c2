import type { Locks } from 'zk-locks';
import { withLocks } from '../connection.js';
import { ExitCode } from '../exit-codes.js';
import { JSON_FLAG } from '../flags.js';
import { print, printJson } from '../output/print.js';
import { countText, shownText, textShownAs } from 'zk-locks/inspect';
import type { Verb } from '../verb.js';

export const revoke: Verb = {
  name: 'revoke',
  summary: 'Asks the holders of a lock to release it.',
  operands: ['KEY'],
  connects: true,
  flags: JSON_FLAG,
  description: [
    'Asks the holders of the lock of KEY to release it. The holders decide: "zk-lock hold" releases it, "zk-lock run" sends its command the signal of --revoke-signal, programs are told by lock.revoked, and Curator programs with makeRevocable() by their listener. The nodes of kazoo, of other programs, and those made by hand are not changed, because their holders would not notice.',
  ],
  examples: ['zk-lock revoke deploy:web'],
  run: ({ flags, operands }) =>
    withLocks(flags, async (locks) => {
      const key = textShownAs(operands[0] ?? '');
      const asked = await locks.revoke(key);
      if (flags.isOn('json')) printJson([{ key, asked }]);
      else
        print(
          asked === 0
            ? await whyNone(locks, key)
            : `asked ${countText(asked, 'holder')} to release it`,
        );
      return ExitCode.ok;
    }),
};

async function whyNone(locks: Locks, key: string): Promise<string> {
  const [holder] = (await locks.inspect(key, { limit: 1 })).holders;
  if (!holder) return `"${shownText(key)}" has no holder`;
  return `asked no holder: ${holder.node} holds "${shownText(key)}", and no process would notice the request`;
}
