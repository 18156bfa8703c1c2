import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/support.js';
import { InspectError } from '../../support/inspect-client.js';
import { openInspector, openLocks, ownRoot } from '../../support/locks.js';
import { leastOf, onThisMachine } from '../../support/loop-meter.js';
import { sharedServer } from '../../support/shared-server.js';
import type { Held } from '../../workers/application/protocol.js';
import { machineTime } from '../../workers/soak/journal.js';
import { Application } from '../support/application.js';
import { DIRECTORIES, KEYS, QUEUES, SEMAPHORES, strangersOf } from '../support/strangers.js';

const SEEDS = (process.env.STRANGERS_SEEDS ?? '6').split(',').map(Number);

/** The limit for one turn of the event loop, in CPU time. */
const LONGEST_TURN_MS = 50;

/** Less than half of what strangers store. */
const MOST_BYTES = 15_000_000;

const KNOWN_REFUSALS = [
  ...['LOCK_TIMEOUT', 'LOCK_DIRECTORY_FOREIGN', 'SHARED_COUNT_MALFORMED'],
  // The looks have short timeouts.
  'ZK_UNAVAILABLE',
];

/** The two processes must never hold the lock at the same time. */
function expectApart(one: readonly Held[], other: readonly Held[]): void {
  const all = [...one, ...other].sort((a, b) => a.from - b.from);
  for (const [index, { to }] of all.entries()) {
    expect(all[index + 1]?.from ?? Infinity).toBeGreaterThanOrEqual(to);
  }
}

it.each(SEEDS)(
  'nodes of strangers (seed %i) cost an application that reads them neither much time nor much memory',
  { timeout: 120_000 },
  async (seed) => {
    const mostMs = onThisMachine(LONGEST_TURN_MS);
    const longestMs = await leastOf(mostMs, () => lookAtStrangers(seed));
    expect(longestMs).toBeLessThan(mostMs);
  },
);

/** The parent is an ephemeral node, or the name is taken. */
const REFUSED_STRANGERS: ReadonlySet<number> = new Set([-108, -110]);

/** Returns the longest turn of the application's event loop. */
async function lookAtStrangers(seed: number): Promise<number> {
  const { nodes, shape } = strangersOf(seed);
  const root = ownRoot();
  const options = { root, servers: sharedServer().connectString };
  const inspector = await openInspector();
  // Persistent, because the server would remove an empty container.
  await inspector.create(root);
  const locks = await openLocks(options);
  await using application = await Application.start(options);
  // The first look compiles the code.
  await (await locks.acquire('mine')).release();
  await application.tell('look', ['mine'], []);
  const before = await application.tell('used');
  await application.tell('work', 'mine');

  const directories = [...DIRECTORIES, ...QUEUES].map((each) => `${root}/${each}`);
  onTestFinished(() => inspector.deleteTree(`${root}-runs`));
  const parents = [...directories, `${root}-runs`].sort((a, b) => a.length - b.length);
  for (const path of parents) await inspector.create(path).catch(() => undefined);
  const made: string[] = [];
  await Promise.all(
    nodes.map(async ({ path, kind, data }) => {
      const whole = `${root}/${path}`;
      try {
        await inspector.create(whole, data, kind);
        made.push(whole);
      } catch (error) {
        if (!(error instanceof InspectError) || !REFUSED_STRANGERS.has(error.code)) throw error;
      }
    }),
  );
  await using _made = {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(made.map((path) => inspector.delete(path).catch(() => undefined)));
    },
  };
  expect(made.length, shape).toBeGreaterThan(800);
  await Promise.all(
    [...KEYS.slice(0, 2), 'mine'].map((key, index) =>
      inspector.create(`${root}-runs/${key}`, nodes[index]?.data ?? ''),
    ),
  );

  const mine: Held[] = [];
  const looking = application.tell('look', [...KEYS, ...QUEUES.slice(0, 3), 'mine'], SEMAPHORES);
  for (let round = 0; round < 10; round++) {
    const asked = machineTime();
    const lock = await locks.acquire('mine', { timeoutMs: 20_000 });
    const from = machineTime();
    lock.assertHeld();
    mine.push({ from, to: machineTime(), waitedMs: from - asked });
    await lock.release();
  }
  const { overview, refused, deadlocks } = await looking;
  const [again, doctor] = await Promise.all([
    application.tell('look', [...KEYS], SEMAPHORES),
    runCli(['doctor', '--no-write', '--json', '--root', root]),
  ]);
  const after = await application.tell('used');
  const theirs = await application.tell('stop');

  expect(after.bytes - before.bytes).toBeLessThan(MOST_BYTES);
  expectApart(mine, theirs);
  for (const { waitedMs } of [...mine, ...theirs]) expect(waitedMs).toBeLessThan(10_000);
  for (const [what, code] of Object.entries({ ...refused, ...again.refused })) {
    expect(KNOWN_REFUSALS, what).toContain(code);
  }
  expect(overview.reading).toBeUndefined();
  expect(overview.stale).toBeUndefined();
  const kinds = overview.problems.map(({ kind }) => kind);
  expect(kinds).toContain('ownerless');
  expect([deadlocks > 0, kinds.includes('deadlock')]).toEqual([true, true]);
  expect([doctor.code, doctor.errors]).toEqual([1, '']);
  expect(doctor.output).not.toMatch(/(?![ \n])[\p{C}\p{Z}]/u);
  const said = doctor.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(said).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('deadlock: ') as string }),
  );
  for (const { text } of overview.problems) expect(text.length).toBeLessThan(5_000);
  return after.longestTurnMs;
}
