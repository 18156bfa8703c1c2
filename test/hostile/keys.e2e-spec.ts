import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkPath } from '../../libs/zk-client/src/port/node-path.js';
import { directoryOf, intentDirectoryOf, keyOf } from '../../libs/zk-locks/src/lock/key-path.js';
import { LockKeyError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { messageWithoutLink } from '../../libs/zk-client/src/zk-lock-error.js';
import { openLocks, ownRoot } from '../support/locks.js';
import { seed } from './support/seed.js';

/** Names with a meaning elsewhere, and pairs that look alike. */
const ODD_KEYS = [
  ...'. .. ... / // /a a/ a/b a%2Fb a%2fb % %% %2E %2e %00 %C3%A9'.split(' '),
  ...'zookeeper locks leases k k/locks k%upgradable %upgradable __proto__ constructor'.split(' '),
  ...['_c_', '-0000000001', 'a-0000000001'],
  '_c_00000000-0000-4000-8000-000000000000-__WRIT__0000000000',
  ...[' ', '\t', '\0', 'a\0', '\u007f', '\u0085', '\u202e', '\ufffe', '\uffff', '\ufeff', '\ue000'],
  // Pairs that look alike.
  ...['\u00e9', 'e\u0301', '\u212b', '\u00c5', 'A\u030a', '\ufb01', 'fi', 'K', '\u212a'],
  ...['\u{1f39f}', '\u{10ffff}', 'x'.repeat(512), '/'.repeat(170)],
];

const anyKey = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes)),
  fc
    .array(fc.constantFrom(...ODD_KEYS, '%', '2', 'F', '/', '.'), { maxLength: 4 })
    .map((all) => all.join('')),
);

/** Undefined if the key is refused, for which only a {@link LockKeyError} is allowed. */
function directoryIfAny(key: string): string | undefined {
  try {
    return directoryOf('/locks', key);
  } catch (error) {
    expect(error).toBeInstanceOf(LockKeyError);
    expect(messageWithoutLink(error as LockKeyError)).toMatch(/\S\. \S/);
    return undefined;
  }
}

it('gives each key a path segment of its own, from which the key can be derived', () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      const directory = directoryIfAny(key);
      if (directory === undefined) return;
      expect(checkPath(directory)).toBeUndefined();
      const segment = directory.slice('/locks/'.length);
      expect(segment).not.toContain('/');
      expect(keyOf(segment)).toBe(key);
    }),
    { seed, numRuns: 2_000 },
  );
});

it('keeps different keys apart, and the directories beside them', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyKey, { minLength: 2, maxLength: 12 }), (keys) => {
      const directories = keys.map(directoryIfAny).filter((found) => found !== undefined);
      const all = [...directories, ...directories.map(intentDirectoryOf)];
      expect(new Set(all).size).toBe(all.length);
    }),
    { seed, numRuns: 1_000 },
  );
  const odd = ODD_KEYS.map((key) => directoryOf('/locks', key));
  expect(new Set(odd).size).toBe(new Set(ODD_KEYS).size);
});

it('shows a directory that belongs to no key under its own name', () => {
  for (const segment of ['a%2fb', '%61', '%', '%ff', '%C3%28', 'a%2']) {
    expect(keyOf(segment)).toBe(segment);
  }
});

it('locks and lists odd keys under their own names', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  const sampled = fc.sample(anyKey, { seed, numRuns: 150 });
  const keys = [...new Set([...ODD_KEYS, ...sampled])].filter(directoryIfAny);
  const held = await Promise.all(keys.map((key) => locks.acquire(key)));
  expect(await locks.list()).toEqual([...keys].sort());
  for (const key of ODD_KEYS) {
    const { holders, key: shown } = await locks.inspect(key);
    expect({ shown, count: holders.length }).toEqual({ shown: key, count: 1 });
    await expect(locks.tryAcquire(key), key).resolves.toBeNull();
  }
  await Promise.all(held.map((lock) => lock.release()));
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
});

it('refuses the text of a template that has not been filled in, unless the braces are intended', async () => {
  const key = 'order:{0}';
  const locks = await openLocks({ root: ownRoot() });
  const holes = /still contains '\$?\{/;
  await expect(locks.acquire(key)).rejects.toThrow(holes);
  await expect(locks.tryAcquire(key)).rejects.toThrow(holes);
  await expect(locks.withLock(key, () => undefined)).rejects.toThrow(holes);
  await expect(locks.withLocks(['k', key], {}, () => undefined)).rejects.toThrow(holes);
  await expect(locks.tryAcquireAll([{ key, mode: 'read' }])).rejects.toThrow(holes);
  await expect(locks.acquireUpgradable(key)).rejects.toThrow(holes);
  expect(() => locks.semaphore(key, { permits: 1 })).toThrow(holes);
  expect(() => locks.election(key)).toThrow(holes);
  expect(await locks.list()).toEqual([]);

  const meant = { pattern: 'order:{id}' };
  await using held = await locks.acquireUpgradable(key, meant);
  await (await held.upgrade()).release();
  expect(await locks.list()).toEqual([key]);
  expect((await locks.inspect(held.key)).holders).toHaveLength(1);
  expect(await locks.revoke(held.key)).toBe(1);
  await locks.withLocks(['k', `${key}2`], meant, () => {
    expect(locks.currentLock(`${key}2`).key).toBe(`${key}2`);
  });
  const permit = await locks.semaphore(`${key}3`, { permits: 1, ...meant }).acquire();
  await permit.release();
  await locks.election(`${key}4`, meant).whenLeader();
});
