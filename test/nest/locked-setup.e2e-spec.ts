import { Injectable } from '@nestjs/common';
import {
  InjectLockService,
  Locked,
  LockService,
  LockedSetupError,
  currentLock,
} from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let runs = 0;

@Injectable()
class Reports {
  @Locked('report')
  async run(): Promise<string> {
    runs++;
    return currentLock().key;
  }

  @Locked('report', { connection: 'archive' })
  async archive(): Promise<string[]> {
    runs++;
    return apps.lockNodes();
  }
}

describe('a @Locked() method', () => {
  it.each<[string, RegExp, () => Promise<unknown>]>([
    [
      'there is no ZkLockModule',
      /Reports\.run did not run: it is @Locked\(\), and the application has no LockService\. Import ZkLockModule\.forRoot/,
      async () => {
        const app = await apps.start({ providers: [Reports] });
        return app.get(Reports).run();
      },
    ],
    [
      'there is none of its connection',
      /no LockService named "archive"\. Import ZkLockModule\.forRoot\(\{ name: 'archive', … \}\)/,
      async () => {
        const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports] });
        return app.get(Reports).archive();
      },
    ],
    [
      'a factory made its object',
      /Nest did not build its object, or is still building it/,
      async () => {
        const made = { provide: Reports, useFactory: () => new Reports() };
        const app = await apps.start({ imports: [apps.zkLock()], providers: [made] });
        return app.get(Reports).run();
      },
    ],
    [
      'its own constructor calls it',
      /Nest did not build its object, or is still building it/,
      async () => {
        @Injectable()
        class Eager extends Reports {
          readonly failure = this.run().catch((error: unknown) => error);
        }
        const app = await apps.start({ imports: [apps.zkLock()], providers: [Eager] });
        throw await app.get(Eager).failure;
      },
    ],
    [
      'it is called before Nest has built the LockService',
      /the LockService is not ready yet\. Call it after bootstrap/,
      async () => {
        const early = {
          provide: 'early',
          inject: [Reports],
          useFactory: (reports: Reports) => reports.run().catch((error: unknown) => ({ error })),
        };
        const app = await apps.start({ imports: [apps.zkLock()], providers: [early, Reports] });
        throw app.get<{ error: unknown }>('early').error;
      },
    ],
  ])('does not run when %s', async (_situation, message, call) => {
    runs = 0;
    const called = call();
    await expect(called).rejects.toThrow(LockedSetupError);
    await expect(called).rejects.toThrow(message);
    expect(runs).toBe(0);
  });

  it('uses the ZooKeeper of the application that built its object', async () => {
    const here = await apps.start({
      imports: [apps.zkLock({ root: `${apps.root}/here` })],
      providers: [Reports],
    });
    const there = await apps.start({
      imports: [apps.zkLock({ root: `${apps.root}/there` })],
      providers: [Reports],
    });
    await using lock = await here.get(LockService).acquire('report');
    await expect(there.get(Reports).run()).resolves.toBe('report');
    const blocked = here.get(Reports).run();
    await apps.untilQueued(2);
    await lock.release();
    await expect(blocked).resolves.toBe('report');
  });

  it('uses the connection it names', async () => {
    @Injectable()
    class Holder {
      constructor(
        @InjectLockService() readonly unnamed: LockService,
        @InjectLockService('archive') readonly archive: LockService,
      ) {}
    }
    const app = await apps.start({
      imports: [
        apps.zkLock({ root: `${apps.root}/main` }),
        apps.zkLock({ root: `${apps.root}/archive`, name: 'archive' }),
      ],
      providers: [Reports, Holder],
    });
    const holder = app.get(Holder);
    expect(holder.unnamed).not.toBe(holder.archive);
    expect(holder.unnamed).toBe(app.get(LockService));
    const nodes = await holder.unnamed.withLock('report', () => app.get(Reports).archive());
    expect(nodes.map((node) => node.split('/').slice(0, 2))).toEqual([
      ['archive', 'report'],
      ['main', 'report'],
    ]);
  });
});
