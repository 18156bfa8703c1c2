import type { ZkLockError } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { openInspector, ownRoot, refusedWithHolders, openLogged } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { errorOf } from './support/judge.js';

/** A line break, a terminal escape sequence, and a mark that reverses the direction of text. */
const EVIL = '\n2026-01-01 ERROR all is lost\u001b[2K\u2028\u202e';
const KEY = `order:42${EVIL}`;
const SHOWN = 'order:42\\u{a}2026-01-01 ERROR all is lost\\u{1b}[2K\\u{2028}\\u{202e}';

async function open() {
  const root = ownRoot();
  return { root, ...(await openLogged({ root, application: `app${EVIL}` })) };
}

it('errors name a key in one line of printable characters, and keep it as it is', async () => {
  const { locks } = await open();
  const holder = await locks.acquire(KEY, { label: `label${EVIL}` });
  const semaphore = locks.semaphore(`${KEY}s`, { permits: 1 });
  const permit = await semaphore.acquire();
  const gone = AbortSignal.abort();
  const read = { mode: 'read' } as const;
  const errors = [
    await refusedWithHolders(() => locks.acquire(KEY, { timeoutMs: 1_000 })),
    await errorOf(locks.acquire(KEY, { signal: gone })),
    await errorOf(locks.withLock(`${KEY}r`, read, () => locks.withLock(`${KEY}r`, () => 0))),
    await errorOf(locks.withLock(`${KEY}r`, () => locks.acquireUpgradable(`${KEY}r`))),
    await errorOf(locks.acquire(KEY + 'x'.repeat(600))),
    await errorOf(semaphore.acquire({ timeoutMs: 200 })),
    await errorOf(locks.inspect(`${KEY}s`)),
  ];
  await holder.release();
  await permit.release();
  for (const held of [holder, permit]) {
    errors.push(await errorOf(Promise.resolve().then(() => held.assertHeld())));
  }
  for (const error of errors) {
    const { message, stack = '' } = error as ZkLockError;
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    // A stack has several lines.
    expect(stack.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  }
  expect(errors[0]).toMatchObject({
    key: KEY,
    message: expect.stringContaining(`"${SHOWN}"`) as string,
    holders: [{ holder: { label: `label${EVIL}` } }],
  });
});

it('names and data of foreign nodes are shown in one line', async () => {
  const { root, locks } = await open();
  const inspector = await openInspector();
  // Held, because the server may remove the empty directory.
  const held = await locks.acquire('k');
  const foreign = `${root}/k/not-ours\u2028\u202e`;
  await inspector.create(foreign);
  await held.release();
  const error = await errorOf(locks.acquire('k'));
  expect(error).toMatchObject({ code: 'LOCK_DIRECTORY_FOREIGN' });
  expect((error as Error).message).toContain('"not-ours\\u{2028}\\u{202e}"');
  const since = new Date().toISOString();
  const data = JSON.stringify({ host: `host${EVIL}`, pid: 7, application: `app${EVIL}`, since });
  const own = await inspector.create(
    `${root}/k/_c_00000000-0000-4000-8000-000000000000-__WRIT__`,
    data,
    'persistentSequential',
  );
  await inspector.delete(foreign);
  const busy = await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 1_000 }));
  await inspector.delete(own);
  expect(busy).toMatchObject({ code: 'LOCK_TIMEOUT', holders: [{ holder: { pid: 7 } }] });
  expect(busy.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

it('log messages about an election and a loss are single lines', async () => {
  const { root, locks, logger } = await open();
  const inspector = await openInspector();
  const election = locks.election(KEY);
  await election.whenLeader();
  for (const path of await inspector.tree(root)) {
    if (path.includes('/_c_')) await inspector.delete(path);
  }
  await waitFor(() => logger.lines.some((line) => line.includes('No longer leading')), {
    what: 'the loss',
  });
  await election.close();
  const about = logger.lines.filter((line) => line.includes('order:42'));
  expect(about.length).toBeGreaterThan(1);
  for (const line of logger.lines) expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  for (const line of about) expect(line).toContain(`"${SHOWN}"`);
});
