import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openInspector, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { GuardedFile } from './support/guarded-file.js';
import { OrderService, ordersWith } from './support/orders.js';
import { startCurator, startKazoo } from './support/start.js';

describe('the examples of docs/locks.md', () => {
  it.each([
    ['curator-rw', startCurator],
    ['kazoo', startKazoo],
  ] as const)('exclude one another with the dialect %s', async (dialect, start) => {
    // The examples name the path that an application would use. A chroot confines it to this test.
    const chroot = ownRoot();
    const inspector = await openInspector();
    await inspector.create(chroot);
    const connectString = sharedServer().connectString + chroot;
    const partner = await start(connectString);
    onTestFinished(() => partner.stop());
    const metadata = ordersWith(dialect, connectString);
    const application = await Test.createTestingModule(metadata).compile();
    onTestFinished(() => application.close());
    await application.init();
    const orders = application.get(OrderService);
    const queued = (count: number): Promise<unknown> =>
      waitFor(
        async () => (await inspector.childrenIfAny(`${chroot}/locks/order:42`)).length === count,
        {
          what: `${count} in the queue`,
        },
      );

    const file = GuardedFile.create();
    const theirs: Promise<void>[] = [];
    await orders.ship('42', async () => {
      theirs.push(partner.ship('42', file.path), partner.ship('42', file.path));
      await queued(3);
      expect(file.number).toBe(0);
      await file.increment();
    });
    const ours = Array.from({ length: 5 }, () => orders.ship('42', () => file.increment()));
    theirs.push(...Array.from({ length: 5 }, () => partner.ship('42', file.path)));
    await Promise.all([...ours, ...theirs]);

    expect(file.number).toBe(1 + 2 + 5 + 5);
    await queued(0);
  });
});
