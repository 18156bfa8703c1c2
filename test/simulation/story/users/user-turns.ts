import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../workers/soak/random.js';
import type { Turns } from '../../../workers/soak/tasks.js';
import { COUNTERS, PAIR, RELAY, SEAT, USERS } from './paths.js';
import { tell, type UserContext } from './user-call.js';
import { watchForAWhile } from './watching.js';

export const USER_KINDS = ['counter', 'pair', 'relay', 'seat', 'watch'] as const;
export type UserKind = (typeof USER_KINDS)[number];

/**
 * The maximum times for which a user sits. The longest exceeds the pauses of the others, so that
 * some of them find the seat taken.
 */
const STAYS_MS = [30, 30, 1_000];

/** What a user of each kind does in its turn. */
export const USER_TURNS: Turns<UserKind, UserContext> = {
  async counter(context, random) {
    const path = random.pick(COUNTERS);
    const found = await read(context, path, random);
    if (!found) return;
    const { data, stat } = found;
    await tell(context, { call: 'add', path }, random, (timeoutMs) =>
      context.client.set(path, more(data), { version: stat.version, timeoutMs }),
    );
  },

  async pair(context, random) {
    const found = await Promise.all(PAIR.map((path) => read(context, path, random)));
    const [left, right] = found;
    if (!left || !right) return;
    await tell(context, { call: 'add to both', path: PAIR[0] }, random, (timeoutMs) =>
      context.client.transaction(
        (tx) => {
          for (const [index, { data, stat }] of [left, right].entries()) {
            tx.set(PAIR[index]!, more(data), { version: stat.version });
          }
        },
        { timeoutMs },
      ),
    );
  },

  async relay(context, random) {
    const path = RELAY;
    const found = await tell(context, { call: 'read', path }, random, (timeoutMs) =>
      context.client.exists(path, { timeoutMs }),
    );
    if (found.outcome !== 'done') return;
    if (found.value) {
      const { version } = found.value;
      await tell(context, { call: 'delete', path }, random, (timeoutMs) =>
        context.client.delete(path, { version, timeoutMs }),
      );
    } else {
      await tell(context, { call: 'create', path }, random, (timeoutMs) =>
        context.client.create(path, '0', { timeoutMs }),
      );
    }
  },

  async seat(context, random) {
    const { client, process, ledger, journal } = context;
    const mark = (context.mark ??= await markSession(context, random));
    if (mark === undefined) return;
    const name = `${process} ${journal.nextNumber()}`;
    const sat = await tell(context, { call: 'sit', path: SEAT }, random, (timeoutMs) =>
      client.create(SEAT, name, { mode: 'ephemeral', timeoutMs }),
    );
    if (sat.outcome !== 'done') return;
    const found = await read(context, SEAT, random);
    if (!(await read(context, mark, random))) {
      if (context.mark === mark) context.mark = undefined;
      return;
    }
    const shown = found?.data.toString();
    if (found && shown !== name) {
      ledger.contradictions.push(
        `${name} was told that it has created ${SEAT}, and found that of ${String(shown)} there`,
      );
    }
    await sleep(random.between(0, random.pick(STAYS_MS)));
    await rise(context, { mark, name }, random);
  },

  watch: watchForAWhile,
};

async function read(context: UserContext, path: string, random: Random) {
  const { value } = await tell(context, { call: 'read', path }, random, (timeoutMs) =>
    context.client.get(path, { timeoutMs }),
  );
  return value;
}

function more(data: Buffer): string {
  return String(Number(data.toString()) + 1);
}

/** Creates an ephemeral znode, which exists as long as the session does. */
async function markSession(context: UserContext, random: Random): Promise<string | undefined> {
  const { value } = await tell(context, { call: 'mark', path: USERS }, random, (timeoutMs) =>
    context.client.create(`${USERS}/here-`, '', { mode: 'ephemeral-sequential', timeoutMs }),
  );
  return value;
}

const MOST_TRIES = 5;

/**
 * Deletes the seat in the session that created it. The transaction is tried again only while the
 * seat is this user's: a further attempt could delete the seat of the next user.
 */
async function rise(
  context: UserContext,
  { mark, name }: { readonly mark: string; readonly name: string },
  random: Random,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { outcome } = await tell(context, { call: 'rise', path: SEAT }, random, (timeoutMs) =>
      context.client.transaction((tx) => tx.check(mark).delete(SEAT), { timeoutMs }),
    );
    if (outcome !== 'refused') return;
    await sleep(random.between(1, 500));
    const found = await read(context, SEAT, random);
    if (found?.data.toString() !== name) return;
  }
}
