import { expect, it } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';
import { EphemeralNodes } from './ephemeral-nodes.js';

const PATH = '/seat';

const newLease = (): SessionLease => ({ lossReason: undefined }) as SessionLease;

function open() {
  const nodes = new EphemeralNodes({ list: () => Promise.resolve([]) });
  const answered = () => Promise.resolve({ path: PATH });
  const lost = () => Promise.reject(new ZooKeeperError(ReturnCode.connectionLoss, 'create', PATH));
  return {
    create: (lease: SessionLease) => nodes.create(lease, PATH, false, answered),
    loseAnswer: (lease: SessionLease) =>
      expect(nodes.create(lease, PATH, false, lost)).rejects.toThrow(),
    remove: () => nodes.deleting([PATH], () => Promise.resolve()),
    isOnlyOurs: () => nodes.naming(PATH, (isOnlyOurs) => Promise.resolve(isOnlyOurs())),
  };
}

it('says that a node of the session is that of the only call which creates it', async () => {
  const { create, remove, isOnlyOurs } = open();
  expect(await isOnlyOurs()).toBe(true);
  await create(newLease());
  expect(await isOnlyOurs()).toBe(false);
  await remove();
  expect(await isOnlyOurs()).toBe(true);
});

it('does not say so again in a session that did not get the answer to an earlier creation', async () => {
  const { create, loseAnswer, remove, isOnlyOurs } = open();
  const lease = newLease();
  await loseAnswer(lease);
  await create(lease);
  await remove();
  // What was not answered may be executed now.
  expect(await isOnlyOurs()).toBe(false);
  await create(newLease());
  await remove();
  expect(await isOnlyOurs()).toBe(true);
});
