import { expect, it } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { briefSession, lossOf, openLogged } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { openPlace } from '../support/place.js';

/** Locks in a place of their own, with what they log. */
async function open(options: Partial<LocksOptions> = {}) {
  const { root, remove } = await openPlace();
  return { remove, ...(await openLogged({ root, ...options })) };
}

it('has a warning for a lock that an operator takes away, and no line for a released one', async () => {
  const { locks, remove, logger } = await open();
  const before = logger.lines.length;
  await locks.withLock('k', () => undefined);
  expect(logger.lines.slice(before)).toEqual([]);
  const lock = await locks.acquire('k');
  await remove();
  await lossOf(lock);
  await lock.release();
  expect(logger.of('warn', 'error')).toEqual([
    expect.stringMatching(
      /^warn: The write lock "k" was lost: its znode was deleted by an operator/,
    ),
  ]);
});

it('has one warning for a term that an operator ends by deleting its node', async () => {
  const { locks, remove, logger } = await open();
  const election = locks.election('k');
  const term = await election.whenLeader();
  const before = logger.lines.length;
  await remove();
  await lossOf(term);
  await election.whenLeader();
  expect(logger.lines.slice(before)).toEqual([
    expect.stringMatching(
      /^warn: No longer leading "k": The write lock "k" was lost: its znode was/,
    ),
    expect.stringMatching(/^log: Now leading "k" with fencing token/),
  ]);
  expect(logger.of('warn', 'error')).toHaveLength(1);
});

it('has one error for a lost session and one warning that names the locks lost with it, and says why it cannot connect', async () => {
  const proxy = await openProxy();
  const { locks, logger } = await open({ servers: proxy.connectString, ...briefSession });
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const held = await Promise.all(keys.map((key) => locks.acquire(key)));
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => held.every(({ signal }) => signal.aborted), { what: 'the loss' });
  const told = logger.of('debug').filter((line) => line.startsWith('debug: The write lock'));
  expect(told).toHaveLength(keys.length);
  expect(logger.of('error')).toEqual([
    expect.stringMatching(
      /^error: The ZooKeeper session is lost: ZooKeeper (did not confirm it in time|has ended it)\. /,
    ),
  ]);
  await waitFor(() => logger.of('log').some((line) => line.startsWith('log: Cannot connect')), {
    what: 'the reason',
  });
  await waitFor(() => logger.of('warn').length > 1, { what: 'the warning about the locks' });
  expect(logger.of('warn')).toEqual([
    expect.stringMatching(
      /^warn: Lost .* \((closed by the server|read ECONNRESET)\); reconnecting\.$/,
    ),
    expect.stringMatching(
      /^warn: Lost with the session: (write lock "[a-g]", ){5}2 more\. Their work may still be running\.$/,
    ),
  ]);
  await proxy.accept();
  await (await locks.acquire('a')).release();
  for (const lock of held) await lock.release();
});

it('says when it closed a connection because no answer arrived', async () => {
  const proxy = await openProxy();
  const { logger } = await open({ servers: proxy.connectString, ...briefSession });
  await proxy.freeze();
  await waitFor(() => logger.of('warn').length > 0, { what: 'the loss' });
  expect(logger.of('warn')).toEqual([
    expect.stringMatching(/^warn: Lost .* \(no answer in time\); reconnecting\.$/),
  ]);
  await proxy.cut();
});
