import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { ZnodeEvent } from 'zk-locks';
import { type LockEventName } from 'zk-locks/events';
import { describeSession } from '../../libs/nestjs-zk-lock/src/health/session-health.js';
import { ownNode } from '../support/own-node.js';
import { openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';
import { recordEvents } from '../telemetry/support/record-events.js';

const EVENTS: readonly LockEventName[] = [
  ...(['waitStart', 'waitEnd', 'holdStart', 'holdEnd', 'break', 'session'] as const),
];

function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
const inJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

it('everything that users get can be written as JSON, with tokens and zxids as texts', async () => {
  const events = recordEvents();
  const cohort = { keepMs: 60_000 };
  const { locks, others } = await openTwo({ client: 'wire', cohort });
  const node = await ownNode();
  const { client } = others;
  const told: ZnodeEvent[] = [];
  onTestFinished(client.onChange(node, (event) => told.push(event)));
  await waitFor(() => told.length > 0, { what: 'the gap' });

  const lock = await locks.acquire('k', { label: 'a' });
  const reader = await locks.acquireUpgradable('u');
  const writer = await reader.upgrade();
  const multi = await locks.acquireAll(['m', 'n']);
  const semaphore = locks.semaphore('s', { permits: 1 });
  const permit = await semaphore.acquire();
  const election = locks.election('e');
  const term = await election.whenLeader();
  const { fencingToken } = lock;
  const [holder] = (await others.inspect('k')).holders;
  const holding = holder!.node;
  const own: unknown[] = [];
  await locks.withLock('w', (view) => void own.push(view, inJson(view)));

  const values: Record<string, unknown> = {
    lock,
    reader,
    writer,
    multi,
    semaphore,
    permit,
    election,
    term,
    view: own[0],
    inspected: await locks.inspect('k'),
    'inspected elsewhere': await others.inspect('k'),
    'permits inspected': await semaphore.inspect(),
    keys: await locks.list(),
    deadlocks: await locks.deadlocks(),
    run: await locks.runAtMostEvery('r', 60_000, () => 'done'),
    'run again': await locks.runAtMostEvery('r', 60_000, () => 'done'),
    'last run': await locks.lastRun('r'),
    counts: locks.counts,
    state: client.state,
    session: locks.session,
    snapshot: locks.session.snapshot,
    health: describeSession(locks.session.snapshot),
    locks,
    client,
    znode: await client.get(node),
    stat: await client.exists(node),
    'stat of a write': await client.set(node, 'x'),
    transaction: await client.transaction((tx) => tx.set(node, 'y')),
    'guarded write': await lock.transact((tx) => tx.set(node, 'z')),
    told,
    'timed out': await rejection(others.acquire('k', { timeoutMs: 50 })),
    'permits timed out': await rejection(
      others.semaphore('s', { permits: 1 }).acquire({ timeoutMs: 50 }),
    ),
    'not broken': await rejection(others.breakLock('k', { node: holding, token: 7n })),
    refused: await rejection(client.set(node, 'x', { version: 99 })),
    broken: await others.breakLock('k', { node: holding, token: fencingToken }),
  };
  await waitFor(() => lock.signal.aborted, { what: 'the loss' });
  values.lost = lock.signal.reason;
  await reader.release();
  await multi.release();
  await permit.release();
  await election.close();
  for (const name of EVENTS) {
    values[`event ${name}`] = events.of(name).at(-1) ?? expect.unreachable(name);
  }

  const failed = Object.entries(values).filter(([, value]) => !isWritable(value));
  expect(failed.map(([name]) => name)).toEqual([]);
  const token = String(fencingToken);
  for (const printed of [lock, multi, permit, semaphore, term, own[0]]) {
    expect(inspect(printed)).toBe(inspect(inJson(printed)));
  }
  expect(inJson(lock)).toMatchObject({ key: 'k', mode: 'write', fencingToken: token });
  expect(inJson(term)).toMatchObject({ key: 'e', fencingToken: String(term.fencingToken) });
  expect(inJson(multi)).toMatchObject({ locks: [{ key: 'm' }, { key: 'n' }] });
  expect(inJson(permit)).toMatchObject({ key: 's', permits: 1 });
  expect(own[1]).toMatchObject({ key: 'w', fencingToken: expect.any(String) as string });
  expect(inJson(values.inspected)).toMatchObject({
    holders: [{ fencingToken: token, holder: { cohort: true } }],
    cohort: { members: [{ fencingToken: token, label: 'a' }] },
  });
  expect(inJson(values['inspected elsewhere'])).toMatchObject({
    holders: [{ fencingToken: token }],
  });
  expect(inJson(values.stat)).toMatchObject({ czxid: expect.stringMatching(/^\d+$/) as string });
  expect(inJson(values['not broken'])).toMatchObject({ code: 'LOCK_NOT_BROKEN', token: '7' });
  expect(inJson(events.of('break').at(-1))).toMatchObject({ key: 'k', fencingToken: token });
  expect(inJson(events.of('holdEnd').at(-1))).toHaveProperty('fencingToken');
  await waitFor(() => election.term === undefined, { what: 'the end of the term' });
});
