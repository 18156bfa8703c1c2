import type { Lock, Locks } from 'zk-locks';
import { CHAIR, POOL, type LockKind } from './protocol.js';
import { Question } from './question.js';
import { machineTime } from './journal.js';
import type { Random } from './random.js';
import { Section, type SectionContext } from './section.js';
import type { Turns } from './tasks.js';

export interface TurnContext extends SectionContext {
  readonly locks: Locks;
  keys: readonly string[];
  /** The periods of the jobs, in milliseconds. @default {@link EVERY_MS} */
  readonly everyMs?: readonly number[];
}

/** The periods in which a job runs at most once, in milliseconds. The job's key selects one. */
const EVERY_MS = [300, 1_000, 3_000] as const;
/** The percentage of runs that fail. */
const FAILING_PERCENT = 10;

/** A turn of each kind requests a lock, works under it, and releases it. */
export const TURNS: Turns<LockKind, TurnContext> = {
  write: (context, random) => plain(context, random, 'write'),
  read: (context, random) => plain(context, random, 'read'),

  async several(context, random) {
    const keys = random.shuffle(context.keys).slice(0, 2);
    if (random.chance(50)) return joined(context, random, keys);
    const locks = await ask(context, 'several', keys.join('+'), random, ({ how }) =>
      context.locks.acquireAll(keys, how),
    );
    if (!locks) return;
    const sections = locks.locks
      .map((lock) =>
        Section.enter(context, lock, { key: lock.key, kind: 'several', access: 'exclusive' }),
      )
      .filter((section) => section !== undefined);
    const ms = workMs(random);
    await Promise.all(sections.map((section) => section.work(ms)));
    for (const section of sections) section.leave();
    await locks.release();
  },

  async upgradable(context, random) {
    const kind = 'upgradable';
    const key = random.pick(context.keys);
    const lock = await ask(context, kind, key, random, ({ patienceMs = Infinity }) =>
      // No signal is passed, because it would also apply to the upgrade.
      context.locks.acquireUpgradable(key, { timeoutMs: patienceMs }),
    );
    if (!lock) return;
    const reading = Section.enter(context, lock, { key, kind, access: 'shared' });
    await reading?.work(workMs(random));
    const upgraded = await ask(context, kind, key, random, ({ how }) => lock.upgrade(how));
    if (upgraded && reading) {
      const { holding } = reading;
      const entrance = { key, kind, access: 'exclusive', holding, queued: false } as const;
      const writing = Section.enter(context, upgraded, entrance);
      await writing?.work(workMs(random));
      writing?.leave();
    }
    await upgraded?.release();
    if (random.chance(50)) await reading?.work(workMs(random));
    reading?.leave();
    await lock.release();
  },

  /** Acquires a read lock inside a write lock, and releases it later. */
  async downgrade(context, random) {
    const kind = 'downgrade';
    const key = random.pick(context.keys);
    const question = new Question(context.journal, kind, key, random);
    let writing: Section | undefined;
    let inner: Lock | undefined;
    let signal: AbortSignal | undefined;
    try {
      await context.locks.withLock(key, question.how, async (outer) => {
        question.granted();
        ({ signal } = outer);
        const { wait } = question;
        writing = Section.enter(context, outer, { key, kind, access: 'exclusive', wait });
        await writing?.work(workMs(random));
        try {
          inner = await context.locks.acquire(key, { mode: 'read' });
        } finally {
          // This also applies if the lock was lost: it is released before the call reports that.
          writing?.leave();
        }
      });
    } catch (error) {
      if (!isLoss(error)) question.refused(error);
      else if (signal?.aborted === false) writing?.rejected();
    }
    if (writing && inner) {
      const { holding } = writing;
      const entrance = { key, kind, access: 'shared', holding, queued: false } as const;
      const reading = Section.enter(context, inner, entrance);
      await reading?.work(workMs(random));
      reading?.leave();
    }
    await inner?.release();
  },

  async permits(context, random) {
    const kind = 'permits';
    const { key, permits: all } = POOL;
    const permits = random.between(1, 2);
    const permit = await ask(context, kind, key, random, ({ how }) =>
      context.locks.semaphore(key, { permits: all }).acquire({ ...how, take: permits }),
    );
    if (!permit) return;
    const section = Section.enter(context, permit, { key, kind, access: 'permit', permits });
    await section?.work(workMs(random));
    section?.leave();
    await permit.release();
  },

  async leader(context, random) {
    const kind = 'leader';
    const election = context.locks.election(CHAIR);
    const term = await ask(context, kind, CHAIR, random, ({ how: { timeoutMs, signal } }) =>
      election.whenLeader({
        signal: signal ?? (timeoutMs === Infinity ? undefined : AbortSignal.timeout(timeoutMs)),
      }),
    );
    if (term) {
      const section = Section.enter(context, term, { key: CHAIR, kind, access: 'exclusive' });
      await section?.work(workMs(random));
      section?.leave();
      if (random.chance(30)) await election.resign();
    }
    await election.close();
  },

  async run(context, random) {
    const kind = 'run';
    const place = random.between(0, context.keys.length - 1);
    const key = context.keys[place]!;
    const times = context.everyMs ?? EVERY_MS;
    const everyMs = times[place % times.length]!;
    const askedAt = machineTime();
    const question = new Question(context.journal, kind, key, random);
    const failure = random.chance(FAILING_PERCENT) ? new Error('the job failed') : undefined;
    let section: Section | undefined;
    let signal: AbortSignal | undefined;
    try {
      const { ran } = await context.locks.runAtMostEvery(
        key,
        everyMs,
        question.how,
        async (lock) => {
          question.granted();
          ({ signal } = lock);
          const run = { everyMs, askedAt };
          const entrance = { key, kind, access: 'exclusive', wait: question.wait, run } as const;
          section = Section.enter(context, lock, entrance);
          await section?.work(workMs(random));
          section?.leave();
          if (failure) throw failure;
        },
      );
      if (!ran) question.granted();
    } catch (error) {
      if (signal && isLoss(error)) {
        if (!signal.aborted) section?.rejected();
      } else if (error !== failure) question.refused(error);
    }
  },
};

async function plain(context: TurnContext, random: Random, mode: 'read' | 'write'): Promise<void> {
  const key = random.pick(context.keys);
  const taken = await ask(context, mode, key, random, async ({ how, wait }) => {
    const lock = await context.locks.acquire(key, { ...how, mode });
    return { lock, wait };
  });
  if (!taken) return;
  const { lock, wait } = taken;
  const access = mode === 'read' ? 'shared' : 'exclusive';
  const section = Section.enter(context, lock, { key, kind: mode, access, wait });
  await section?.work(workMs(random));
  section?.leave();
  await lock.release();
}

/** Acquires the locks of all keys, and works under a lock that joins one of them. */
async function joined(
  context: TurnContext,
  random: Random,
  keys: readonly string[],
): Promise<void> {
  const kind = 'several';
  const key = random.pick(keys);
  const question = new Question(context.journal, kind, keys.join('+'), random);
  let section: Section | undefined;
  let signal: AbortSignal | undefined;
  try {
    await context.locks.withLocks(keys, question.how, async (locks) => {
      question.granted();
      ({ signal } = locks);
      await context.locks.withLock(key, async (lock) => {
        section = Section.enter(context, lock, { key, kind, access: 'exclusive' });
        await section?.work(workMs(random));
        section?.leave();
      });
    });
  } catch (error) {
    if (!signal || !isLoss(error)) question.refused(error);
    else if (!signal.aborted) section?.rejected();
  }
}

/** Returns undefined if the task gave up, or its lock was lost in the meantime. */
async function ask<T>(
  { journal }: TurnContext,
  kind: LockKind,
  key: string,
  random: Random,
  take: (question: Question) => Promise<T>,
): Promise<T | undefined> {
  const question = new Question(journal, kind, key, random);
  try {
    const taken = await take(question);
    question.granted();
    return taken;
  } catch (error) {
    question.refused(error);
    return undefined;
  }
}

/**
 * Mostly short, so that there are many turns; sometimes long enough for a fault to occur during it.
 */
function workMs(random: Random): number {
  return random.chance(10) ? random.between(20, 200) : random.between(0, 10);
}

function isLoss(error: unknown): boolean {
  return (error as { code?: string }).code === 'LOCK_LOST';
}
