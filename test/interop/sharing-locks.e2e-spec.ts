import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeIn, sourcesIn } from '../support/documentation.js';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { OrderService } from './examples/order.service.js';
import { WithCuratorModule } from './examples/with-curator.module.js';
import { WithKazooModule } from './examples/with-kazoo.module.js';
import { GuardedFile } from './support/guarded-file.js';
import { openPlace } from '../support/place.js';
import { compileCurator, curatorIn, startKazoo } from './support/start.js';

const url = (path: string): URL => new URL(path, import.meta.url);

describe('docs/sharing-locks.md', () => {
  it('shows the examples as they are tested here, and no other code', () => {
    const shown = codeIn(url('../../docs/sharing-locks.md'));
    expect(shown.toSorted()).toEqual(sourcesIn(url('examples/')).toSorted());
  });

  it('says the directory of a key', async () => {
    const { root, inspector } = await openPlace();
    const locks = await openLocks({ root });
    const told = {
      'order:42': 'order:42',
      'a/b': 'a%2Fb',
      '%': '%25',
      '.': '%2E',
      'Grün 1': 'Grün 1',
      '🎟': '%F0%9F%8E%9F',
    };
    // Held meanwhile: the server removes directories that are empty.
    const held = await Promise.all(Object.keys(told).map((key) => locks.acquire(key)));
    expect(await inspector.children(root)).toEqual(Object.values(told).toSorted());
    for (const lock of held) await lock.release();
  });
});

const classes = makeTempDir('curator-partner');
beforeAll(() => compileCurator(classes));
afterAll(() => removeTempDir(classes));

describe('its examples', () => {
  it.each([
    ['Curator', WithCuratorModule, curatorIn(classes)],
    ['kazoo', WithKazooModule, startKazoo],
  ] as const)('exclude one another: Nest and %s', async (_name, module, start) => {
    // The examples name the path that an application would use; a chroot keeps them in this test.
    const chroot = ownRoot();
    const inspector = await openInspector();
    await inspector.create(chroot);
    const connectString = sharedServer().connectString + chroot;
    const partner = await start(connectString);
    onTestFinished(() => partner.stop());
    vi.stubEnv('ZK_CONNECT', connectString);
    onTestFinished(() => void vi.unstubAllEnvs());
    const application = await Test.createTestingModule({ imports: [module] }).compile();
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
