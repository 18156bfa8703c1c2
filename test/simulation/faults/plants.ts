import net from 'node:net';
import { Locks } from 'zk-locks';
import type { LockNode } from '../../soak/history/lock-node.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';
import { countPromises } from '../story/open-promises.js';
import { GUARDED } from '../story/scene.js';
import type { Stage } from '../story/stage.js';
import type { Attempt } from '../story/users/ledger.js';
import { COUNTERS, PAIR, RELAY, USERS } from '../story/users/paths.js';
import type { Fault } from './fault.js';

/*
 * Violations of promises, planted on purpose: each check must find its own.
 * These faults are never drawn.
 */

type Entered = Extract<JournalEntry, { readonly type: 'entered' }>;

const KEY = 'planted';
/** The token of a grant under a node that no server has created. */
const token = (czxid: number, index = 0): string => String(1_024 * czxid + index);
const node = (czxid: number, isShared: boolean): LockNode => ({
  ...{ token: BigInt(token(czxid)), isShared },
});

/** Adds a grant to a replica's journal, with its first and last moment. */
function grant(
  { replicas }: Stage,
  place: number,
  [from, until]: readonly [number, number],
  entrance: Partial<Entered>,
): { readonly grant: number; note(entry: JournalEntry): void } {
  const { journal } = replicas[place]!.current;
  const number = journal.nextNumber();
  journal.note({
    ...{ type: 'entered', grant: number, holding: number, key: KEY, kind: 'leader' },
    ...{ access: 'exclusive', queued: true, at: from },
    ...entrance,
  });
  journal.note({ type: 'held', grant: number, at: until });
  return { grant: number, note: (entry) => journal.note(entry) };
}

/** Runs a function in a process of the application, with that process's locks. */
function inApplication(run: (stage: Stage, locks: Locks) => unknown): Fault {
  return (stage) => {
    const { process, locks } = stage.replicas[0]!.current;
    process.post(() => void run(stage, locks));
  };
}

/** Adds a call of a `ZkClient` user that had no effect. */
function attempt({ ledger }: Stage, given: Partial<Attempt>): void {
  ledger.attempts.push({
    ...{ process: 'one.1', call: 'add', path: COUNTERS[0], timeoutMs: 1_000, askedAt: 0 },
    ...given,
  });
}
const done = { outcome: 'done', answeredAt: 10 } as const;
const reading = { call: 'read', path: USERS } as const;

const permit = {
  kind: 'permits',
  access: 'permit',
  permits: 2,
  key: 'pool',
  queued: true,
} as const;
const shared = { kind: 'read', access: 'shared' } as const;
let count = 0;

/** One call's lock is asked back, but not that of another call under its node. */
const askedBack =
  (enteredAt: number): Fault =>
  (stage) => {
    const { note, grant: number } = grant(stage, 1, [10, 30], { ...shared, token: token(1, 1) });
    note({ type: 'asked-back', grant: number, at: 15 });
    grant(stage, 1, [enteredAt, 30], { ...shared, token: token(1, 2) });
  };

/** Keyed by the promise that is broken and a part of the message. */
export const PLANTS = {
  'exclusion: held it': (stage) => {
    grant(stage, 0, [10, 20], { token: token(1) });
    grant(stage, 1, [15, 30], { token: token(2) });
  },
  'permits: 4 of 3': (stage) => {
    grant(stage, 0, [-20, -10], permit);
    grant(stage, 1, [-15, -5], permit);
  },
  'fencing: had been given out': (stage) => {
    grant(stage, 0, [10, 20], { token: token(2) });
    grant(stage, 1, [30, 40], { token: token(1), queued: false });
  },
  'fencing: was accepted after': ({ resource: { writes } }) => {
    const write = { process: 'one.1', key: KEY, accepted: true };
    writes.push({ ...write, token: 2n, at: 1 }, { ...write, token: 1n, at: 2 });
  },
  'fencing: a write to "/guarded': inApplication(async (_, { client }) => {
    for (const path of [`${GUARDED}/a/2048-`, `${GUARDED}/a/1024-`]) {
      await client.create(path, '', { mode: 'persistent-sequential' });
    }
  }),
  'fencing: was refused': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'refused', grant: number, isHeld: true, at: 15 });
  },
  'fencing: a token that another grant had': (stage) => {
    grant(stage, 0, [10, 20], { ...shared, token: token(1) });
    grant(stage, 0, [10, 20], { ...shared, token: token(1) });
  },
  'fairness: was passed by': (stage) => {
    grant(stage, 0, [10, 20], { ...shared, token: token(2) });
    grant(stage, 1, [30, 40], { token: token(1) });
  },
  'fairness: hand-overs are allowed': (stage) => {
    for (const at of [10, 30]) {
      grant(stage, 0, [at, at + 10], { token: token(1), kind: 'write' });
    }
  },
  'runs: was asked for 20 ms after': (stage) => {
    const run = { everyMs: 1_000, askedAt: 10 };
    grant(stage, 0, [10, 20], { token: token(1), run });
    grant(stage, 1, [30, 40], { token: token(2), run: { ...run, askedAt: 30 } });
  },
  /** The job had been waiting for a long time. */
  'runs: ms after one.1': inApplication(async (stage, { client }) => {
    const grants = [
      { path: '/first', at: -3_000 },
      { path: '/second', at: 10 },
    ];
    for (const { path, at } of grants) {
      await client.create(path, '', { mode: 'ephemeral' });
      const { czxid } = (await client.exists(path))!;
      const run = { everyMs: 1_000, askedAt: at };
      grant(stage, 0, [at, at + 10], { token: token(Number(czxid)), run });
    }
  }),
  'fairness: was passed within its process': (stage) => {
    grant(stage, 1, [10, 20], { token: token(1), kind: 'write', wait: 1_002 });
    grant(stage, 1, [30, 40], { token: token(2), kind: 'write', wait: 1_001 });
  },
  'notice: was rejected, and its signal had not aborted': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'rejected', grant: number, at: 20 });
  },
  'notice: said that it is not held': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'untold', grant: number, at: 20 });
  },
  'notice: said that it is held': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'told', grant: number, reason: 'lease-expired', at: 15 });
  },
  'notice: that its process had asked for': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 12], { token: token(1), marginMs: 10 });
    note({ type: 'told', grant: number, reason: 'lease-expired', at: 15 });
    grant(stage, 1, [20, 30], { token: token(2) });
  },
  'notice: was told of its loss': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'told', grant: number, reason: 'lease-expired', at: 40 });
    grant(stage, 1, [30, 50], { token: token(2) });
  },
  'notice: after it had been broken': (stage) => {
    grant(stage, 0, [10, 20], { token: token(1) });
    stage.operator.breaks.push({ key: KEY, node: node(1, false), answeredAt: 15 });
  },
  'lease: the servers may end its session': inApplication((stage) => {
    const { now } = stage.world;
    grant(stage, 0, [now, now], { token: token(1), marginMs: 1_000_000 });
  }),
  'guarded writes: after one.1': inApplication((stage, { client }) => {
    grant(stage, 0, [10, 20], { token: token(2), key: 'a' });
    return client.create(`${GUARDED}/a/${token(1)}-`, '', { mode: 'persistent-sequential' });
  }),
  'deletions: which belongs to another session': inApplication(async ({ servers }, locks) => {
    const { connectString, view } = servers;
    const other = new Locks({ servers: connectString, root: '/other', client: 'wire' });
    await other.start();
    const lock = await locks.acquire(KEY);
    const [name = ''] = view.children(`/locks/${KEY}`);
    await other.client.delete(`/locks/${KEY}/${name}`);
    await lock.release();
    await other.close();
  }),
  'breaking: which no operator had named': (stage) => {
    const { note, grant: number } = grant(stage, 0, [10, 20], { token: token(1) });
    note({ type: 'told', grant: number, reason: 'broken', at: 20 });
  },
  'fresh news: its node had been taken away': (stage) => {
    grant(stage, 0, [30, 40], { token: token(1, 1) });
    stage.operator.takings.push({ key: KEY, node: node(1, true), answeredAt: 20, isBreak: true });
  },
  'tenure: 2 hand-overs in 5000 ms are allowed': (stage) => {
    for (const index of [0, 3]) {
      grant(stage, 1, [0, 0], { kind: 'write', token: token(1, index) });
    }
  },
  'requests: was not told that its lock is asked back': askedBack(10),
  'requests: entered after its lock had been asked back': askedBack(20),
  'no herd: watches /locks/a': inApplication(
    (_, { client }) => void client.onChange('/locks/a', () => {}),
  ),
  'users: counter-1 is 0 after 1 writes': (stage) => attempt(stage, done),
  'users: left is 0 after 1 writes': (stage) =>
    attempt(stage, { ...done, call: 'add to both', path: PAIR[0] }),
  'users: were both told that they have written': (stage) => {
    for (const process of ['one.1', 'two.1']) attempt(stage, { ...done, process, version: 1 });
  },
  'users: relay was created 1 times': (stage) =>
    attempt(stage, { ...done, call: 'create', path: RELAY }),
  'users: which it watches no more': ({ ledger }) =>
    void ledger.contradictions.push(`one.1 was told of ${KEY}, which it watches no more`),
  'watches: and believes that': ({ ledger }) =>
    void ledger.watches.push({
      ...{ process: 'one.1', path: COUNTERS[0], isRecursive: false, isOver: false },
      seen: new Map([[COUNTERS[0], KEY]]),
    }),
  'waiting: (read, /users) was never answered': (stage) => attempt(stage, reading),
  'waiting: (read, /users) was answered 99000 ms late': (stage) =>
    attempt(stage, { ...reading, ...done, answeredAt: 100_000 }),
  'waiting: stay open': inApplication(({ replicas: [first] }) =>
    countPromises({ stay: () => new Promise(() => {}) }, first!.current.open).stay(),
  ),
  'waiting: was never answered': ({ replicas }) => {
    const { journal } = replicas[0]!.current;
    const wait = journal.nextNumber();
    journal.note({ type: 'asked', wait, key: KEY, kind: 'write', at: 10 });
  },
  'waiting: ms were over': ({ replicas }) => {
    const { journal } = replicas[0]!.current;
    const wait = journal.nextNumber();
    journal.note({ type: 'asked', wait, key: KEY, kind: 'write', patienceMs: 10, at: 0 });
    journal.note({ type: 'answered', wait, outcome: 'LOCK_TIMEOUT', at: 100_000 });
  },
  'errors: a call in one.1 threw': ({ replicas }) =>
    replicas[0]!.current.journal.note({ type: 'broke', kind: 'write', error: KEY, at: 10 }),
  'errors: one.1 threw Error': inApplication(() => {
    setTimeout(() => {
      throw new Error(KEY);
    }, 1);
  }),
  'errors: nothing caught it': inApplication(() => Promise.reject(new Error(KEY))),
  'liveness: calls still wait': inApplication((_, locks) => locks.acquire('a')),
  'nothing left: the servers still have /locks': inApplication((_, locks) => locks.acquire(KEY)),
  'nothing left: the servers still have sessions': inApplication(({ servers: { connectString } }) =>
    new Locks({ servers: connectString, root: '/other', client: 'wire' }).start({ wait: false }),
  ),
  'nothing left: timers': inApplication(() => void setInterval(() => {}, 1_000)),
  'nothing left: connections': inApplication(({ servers }) => {
    const [host = '', port = ''] = servers.connectString.split(',', 1)[0]!.split(':');
    net.connect({ host, port: Number(port) });
  }),
  'determinism: the same plan gave': ({ world }) => world.note(`${KEY} ${String(++count)}`),
} as const satisfies Record<string, Fault>;
