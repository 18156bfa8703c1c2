import { expect, it, onTestFinished } from 'vitest';
import { TestLocks } from '../support/locks.js';
import { silentLogger } from '../../libs/zk-client/src/logger.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { credentials, openRestrictedPlace } from './support/place.js';

const READ_AND_CREATE = 1 | 4;

it('ends its session for a node that it may not delete, when it holds nothing else', async () => {
  const { root, insider, open } = await openRestrictedPlace();
  const { username, password } = credentials;
  await insider.create(root);
  await insider.create(`${root}/k`);
  await insider.restrictTo(`${root}/k`, username, password, READ_AND_CREATE);
  const errors: string[] = [];
  const error = (message: string): void => void errors.push(message);
  const servers = sharedServer().connectString;
  const locks = new TestLocks({ servers, root, credentials }, { ...silentLogger, error });
  onTestFinished(() => locks.close());
  await locks.start();

  const other = await locks.acquire('other');
  await (await locks.acquire('k')).release();
  const waiting = (await open()).acquire('k');
  const isRefused = (message: string): boolean => message.startsWith('Cannot delete');
  await waitFor(() => errors.filter(isRefused).length >= 3, {
    what: 'three refusals',
  });
  expect(errors[0]).toContain('not permitted by the ACL');
  expect(other.isHeld).toBe(true);
  expect(await insider.children(`${root}/k`)).toHaveLength(2);

  await other.release();
  expect((await waiting).isHeld).toBe(true);
  expect(await insider.children(`${root}/k`)).toHaveLength(1);
  await locks.withLock('other', () => undefined);
});
