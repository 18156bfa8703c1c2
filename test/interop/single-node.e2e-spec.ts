import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openLocks, shortSession, untilWaiting } from '../support/locks.js';
import { openLastingPlace } from '../support/place.js';
import { sharedServer } from '../support/shared-server.js';
import { GuardedFile } from './support/guarded-file.js';
import { OrderService, ordersWith } from './support/orders.js';
import type { Partner } from './support/partner.js';
import { startPlain } from './support/start.js';

let plain: Partner;

beforeAll(async () => {
  plain = await startPlain(sharedServer().connectString);
});
afterAll(() => plain.stop());

/** The program does not make the directory of its node. */
async function open() {
  const place = await openLastingPlace();
  const { root, directory } = place;
  const locks = await openLocks({ root, dialect: 'single-node', client: 'wire' });
  return { ...place, locks, node: `${directory}/lock` };
}

it('guards a file that a Java program and a Nest application write', async () => {
  // The path is the one that an application would use; a chroot keeps it in this test.
  const { root: chroot, inspector } = await openLastingPlace();
  await inspector.create(`${chroot}/locks`);
  await inspector.create(`${chroot}/locks/order:42`);
  const metadata = ordersWith('single-node', sharedServer().connectString + chroot);
  const application = await Test.createTestingModule(metadata).compile();
  onTestFinished(() => application.close());
  await application.init();
  const orders = application.get(OrderService);

  const file = GuardedFile.create();
  const [threads, times] = [4, 6];
  const node = `${chroot}/locks/order:42/lock`;
  const theirs = plain.increment('plain', node, { file: file.path, threads, times });
  const ours = Array.from({ length: threads }, async () => {
    for (let done = 0; done < times; done++) await orders.ship('42', () => file.increment());
  });
  await Promise.all([...ours, theirs]);
  expect(file.number).toBe(2 * threads * times);
});

it('does not get in where the other one is, and gets in when it has left', async () => {
  const { locks, node, queue } = await open();
  const theirs = await plain.acquire('plain', node);
  expect(await locks.tryAcquire('k')).toBeNull();
  const [holder] = (await locks.inspect('k')).holders;
  expect(holder).toMatchObject({ node: 'lock', isEphemeral: true, holder: undefined });
  const taking = locks.acquire('k');
  await untilWaiting(locks);
  await theirs.release();
  const ours = await taking;

  expect(await plain.tryAcquire('plain', node)).toBeNull();
  const waiting = plain.acquire('plain', node);
  await ours.release();
  await (await waiting).release();
  expect(await queue()).toEqual([]);
});

it('gets the lock of a killed program once its session has ended', async () => {
  const { locks, node } = await open();
  const theirs = await startPlain(sharedServer().connectString, shortSession.sessionTimeoutMs);
  onTestFinished(() => theirs.stop());
  await theirs.acquire('plain', node);
  const taking = locks.acquire('k');
  await untilWaiting(locks);
  await theirs.end();
  await (await taking).release();
});
