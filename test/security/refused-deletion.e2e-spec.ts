import { expect, it } from 'vitest';
import { openLogged } from '../support/locks.js';
import { ownNode } from '../support/own-node.js';
import { waitFor } from '../support/wait-for.js';
import { credentials, openRestrictedPlace } from './support/place.js';

const READ_AND_CREATE = 1 | 4;

it('ends its session to remove a node that it may not delete, once it holds nothing else', async () => {
  const { root, insider, open } = await openRestrictedPlace();
  const { username, password } = credentials;
  await insider.create(root);
  await insider.create(`${root}/k`);
  await insider.restrictTo(`${root}/k`, username, password, READ_AND_CREATE);
  const { locks, logger } = await openLogged({ root, credentials });
  const other = await locks.acquire('other');
  await (await locks.acquire('k')).release();
  const waiting = (await open()).acquire('k');
  const refusals = (): string[] =>
    logger.of('error').filter((line) => line.startsWith('error: Cannot delete'));
  await waitFor(() => refusals().length >= 3, { what: 'three refusals' });
  expect(refusals()[0]).toContain('not permitted by the ACL');
  expect(other.isHeld).toBe(true);
  expect(await insider.children(`${root}/k`)).toHaveLength(2);

  await other.release();
  expect((await waiting).isHeld).toBe(true);
  expect(await insider.children(`${root}/k`)).toHaveLength(1);
  await locks.withLock('other', () => undefined);
});

it('counts the nodes of one-node locks that it may not delete among those of its session', async () => {
  const { root, insider } = await openRestrictedPlace();
  const path = await ownNode();
  const { username, password } = credentials;
  for (const directory of [root, `${root}/%guards`]) await insider.create(directory);
  await insider.restrictTo(`${root}/%guards`, username, password, READ_AND_CREATE);
  const { locks } = await openLogged({ root, credentials, dialect: 'single-node' });
  const mode = 'ephemeral';
  const create = (_: unknown, index: number): Promise<string> =>
    locks.client.create(`${path}/${'x'.repeat(3_900)}${String(index)}`, '', { mode });
  await Promise.all(Array.from({ length: 252 }, create));
  const fill = async (): Promise<void> => {
    for (let number = 0; number < 40; number++)
      await (await locks.acquire(`${'k'.repeat(200)}${String(number)}`)).release();
  };
  await expect(fill()).rejects.toMatchObject({ code: 'ZK_TOO_MANY_EPHEMERALS' });
});
