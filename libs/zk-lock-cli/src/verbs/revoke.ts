import { withLocks } from '../connection.js';
import { ExitCode } from '../exit-codes.js';
import { JSON_FLAG } from '../flags.js';
import { print, printJson } from '../output/print.js';
import { shownText, textShownAs } from 'zk-locks/internal';
import type { Verb } from '../verb.js';

export const revoke: Verb = {
  name: 'revoke',
  summary: 'Asks the holders of a lock to give it back.',
  operands: ['KEY'],
  connects: true,
  flags: JSON_FLAG,
  description: [
    'Asks the holders of the lock of KEY to give it back. They decide: "zk-lock hold" gives it back, "zk-lock run" sends its command the signal of --revoke-signal, programs are told by lock.revoked, and Curator programs with makeRevocable() by their listener. Holders of kazoo do not hear it.',
  ],
  examples: ['zk-lock revoke deploy:web'],
  run: ({ flags, operands }) =>
    withLocks(flags, async (locks) => {
      const key = textShownAs(operands[0] ?? '');
      const asked = await locks.revoke(key);
      if (flags.isOn('json')) printJson({ key, asked });
      else
        print(asked === 0 ? `"${shownText(key)}" has no holder` : `asked ${asked} to give it back`);
      return ExitCode.ok;
    }),
};
