import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../libs/zk-client/src/clean-text.js';
import type { InspectClient } from '../support/inspect-client.js';
import {
  openInspector,
  openLocks,
  ownRoot,
  refusedWithHolders,
  type TestLocks,
} from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

interface Place {
  readonly root: string;
  readonly locks: TestLocks;
  readonly inspector: InspectClient;
  readonly directory: string;
  /** Creates persistent nodes in the directory, which no client maintains. */
  put(names: readonly string[]): Promise<void>;
  left(): Promise<string[]>;
  clear(): Promise<void>;
}

async function openPlace(): Promise<Place> {
  const root = ownRoot();
  const [locks, inspector] = [await openLocks({ root }), await openInspector()];
  const directory = `${root}/k`;
  // These are containers as usual, and the server keeps those that have never had a child.
  for (const path of [root, directory]) await inspector.create(path, '', 'container');
  return {
    root,
    locks,
    inspector,
    directory,
    async put(names) {
      await Promise.all(names.map((name) => inspector.create(`${directory}/${name}`)));
    },
    left: () => inspector.childrenIfAny(directory),
    clear: () => inspector.deleteTree(directory),
  };
}

const node = (mode: 'READ' | 'WRIT', sequence: string): string =>
  `_c_${randomUUID()}-__${mode}__${sequence}`;

const many = (count: number, name: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => name(index));

const sequenceOf = (index: number): string => String(index).padStart(10, '0');

const FOREIGN: readonly [what: string, names: string[]][] = [
  ['2,000 plain names', many(2_000, (index) => `plain-${index}`)],
  ['a number beyond the counter', [node('WRIT', '2147483648'), node('READ', '9999999999')]],
  ['a line break', [`${node('WRIT', '0000000000')}\u2028`]],
  ['a name of 5,000 characters', ['x'.repeat(5_000)]],
];

describe.each(FOREIGN)('%s in a lock directory', (_what, names) => {
  it('are named in the error of every call, which fails at once and leaves no node', async () => {
    const { locks, put, left, clear } = await openPlace();
    await put(names);
    const calls = [
      () => locks.acquire('k', { timeoutMs: 20_000 }),
      () => locks.acquire('k', { mode: 'read', timeoutMs: 20_000 }),
      () => locks.tryAcquire('k'),
      () => locks.acquireAll(['a', 'k'], { timeoutMs: 20_000 }),
      () => locks.inspect('k'),
      () => locks.revoke('k'),
    ];
    const cpu = process.cpuUsage();
    const errors = await Promise.all(calls.map((call) => call().catch((error: unknown) => error)));
    const { user, system } = process.cpuUsage(cpu);
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'LOCK_DIRECTORY_FOREIGN' });
      expect((error as Error).message.length).toBeLessThan(1_000);
    }
    const shown = names.map((name) => cleanText(name).slice(0, 80));
    expect(shown.some((name) => String(errors[0]).includes(name))).toBe(true);
    // Six calls use a list, but each list is read once.
    expect((user + system) / 1_000).toBeLessThan(3_000);
    await waitFor(async () => (await left()).length === names.length, { what: 'own nodes to go' });
    expect(locks.counts).toEqual({ held: 0, waiting: 0 });
    await clear();
  });
});

const LOOK_ALIKES: readonly [what: string, names: string[]][] = [
  ['a node at the head that no session owns', [node('WRIT', '0000000000')]],
  ['500 of them', many(500, (index) => node('WRIT', sequenceOf(index % 250)))],
];

describe.each(LOOK_ALIKES)('%s, like one of ours,', (_what, names) => {
  it('blocks other calls until it is deleted, but no longer than their timeouts', async () => {
    const { locks, put, left, clear, inspector, directory } = await openPlace();
    await put(names);
    expect(await locks.tryAcquire('k')).toBeNull();
    await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 2_000 }));
    await waitFor(async () => (await left()).length === names.length, { what: 'own node to go' });
    const { holders, total } = await locks.inspect('k', { limit: 5 });
    expect(holders[0]).toMatchObject({ isEphemeral: false, holder: undefined });
    expect(total).toBe(names.length);
    const waiting = locks.acquire('k', { timeoutMs: 25_000 });
    await Promise.all(names.map((name) => inspector.delete(`${directory}/${name}`)));
    await (await waiting).release();
    await clear();
  });
});

it('nodes with the same number as a holder are counted once each, and no waiter overtakes them', async () => {
  const { locks, left, inspector, directory, clear } = await openPlace();
  const holder = await locks.acquire('k');
  const [own = ''] = await left();
  const twin = own.replace(/_c_[^_]+-__/, `_c_00000000-0000-4000-8000-000000000000-__`);
  const later = own.replace(/_c_[^_]+-__/, `_c_ffffffff-ffff-4fff-bfff-ffffffffffff-__`);
  for (const name of [twin, later]) await inspector.create(`${directory}/${name}`);
  expect(await locks.inspect('k')).toMatchObject({ total: 3 });
  const waiting = locks.acquire('k', { timeoutMs: 20_000 });
  await inspector.delete(`${directory}/${later}`);
  await inspector.delete(`${directory}/${twin}`);
  await waitFor(async () => (await left()).length === 2, { what: 'the waiter' });
  expect(await locks.tryAcquire('k')).toBeNull();
  holder.assertHeld();
  await holder.release();
  await (await waiting).release();
  await clear();
});

it('leases of other programs are counted whatever their names, and inspection shows them', async () => {
  const { root, locks, inspector } = await openPlace();
  const semaphore = locks.semaphore('s', { permits: 3 });
  const first = await semaphore.acquire();
  const leases = `${root}/s/leases`;
  for (const name of ['plain', 'x-lease-99999999999999999999']) {
    await inspector.create(`${leases}/${name}`);
  }
  await first.release();
  const permit = await semaphore.acquire();
  expect(await semaphore.tryAcquire()).toBeNull();
  const { holders } = await semaphore.inspect();
  expect(holders.map((holder) => holder.isEphemeral).toSorted()).toEqual([false, false, true]);
  await permit.release();
  await inspector.deleteTree(leases);
});
