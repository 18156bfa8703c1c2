import { Controller, Get, Injectable, type Provider, Scope, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  InjectLockService,
  Locked,
  LockService,
  LockedSetupError,
  OnlyLeader,
  WithPermit,
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
}

@Injectable()
class Archive {
  @Locked('report', { connection: 'archive' })
  async nodes(): Promise<string[]> {
    runs++;
    return apps.lockNodes();
  }
}

describe('a @Locked() method', () => {
  it.each<[string, RegExp, () => Promise<unknown>]>([
    [
      'there is no ZkLockModule',
      /Reports\.run cannot run: it is @Locked\(\), and the application has no LockService\. Import ZkLockModule\.forRoot/,
      async () => {
        const app = await apps.start({ providers: [Reports] });
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
      providers: [Archive, Holder],
    });
    const holder = app.get(Holder);
    expect(holder.unnamed).not.toBe(holder.archive);
    expect(holder.unnamed).toBe(app.get(LockService));
    const nodes = await holder.unnamed.withLock('report', () => app.get(Archive).nodes());
    expect(nodes.map((node) => node.split('/').slice(0, 2))).toEqual([
      ['archive', 'report'],
      ['main', 'report'],
    ]);
  });
});

describe('an application does not start', () => {
  const start = (...providers: Provider[]) => apps.start({ imports: [apps.zkLock()], providers });

  class Farm {
    @WithPermit('gpu', { permits: 2, connection: 'billing' })
    async render(): Promise<void> {}
  }

  class Sub extends Archive {}

  class Leader {
    @OnlyLeader('reports')
    async run(): Promise<void> {}
  }

  it.each<[string, RegExp, Type]>([
    ['@Locked()', /Archive\.nodes cannot run: it is @Locked\(\)/, Archive],
    ['an inherited @Locked()', /Archive\.nodes cannot run: it is @Locked\(\)/, Sub],
    ['@WithPermit()', /Farm\.render cannot run: it is @WithPermit\(\)/, Farm],
  ])('with a connection that %s names and no ZkLockModule has', async (_what, message, type) => {
    const started = start(type);
    await expect(started).rejects.toThrow(LockedSetupError);
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toThrow(
      /no LockService named "(archive|billing)"\. Import ZkLockModule\.forRoot\(\{ name: '\1', … \}\)/,
    );
  });

  it('with such a connection on a handler', async () => {
    @Controller()
    class Handlers {
      @Get()
      @Locked('a', { connection: 'archive' })
      async get(): Promise<void> {}
    }
    const started = apps.start({ imports: [apps.zkLock()], controllers: [Handlers] });
    await expect(started).rejects.toThrow(/Handlers\.get cannot run/);
  });

  it.each<[string, RegExp, Provider]>([
    ['useFactory', /Reports\.run/, { provide: Reports, useFactory: () => new Reports() }],
    ['useValue', /Reports\.run/, { provide: 'reports', useValue: new Reports() }],
    ['useFactory, later', /Reports\.run/, { provide: 'a', useFactory: async () => new Reports() }],
    ['useValue', /Leader\.run .* @OnlyLeader/, { provide: Leader, useValue: new Leader() }],
  ])(
    'with an object made by %s, whose decorated methods could not run',
    async (_by, message, made) => {
      const started = start(made);
      await expect(started).rejects.toThrow(LockedSetupError);
      await expect(started).rejects.toThrow(message);
      await expect(started).rejects.toThrow(/Nest did not build its object/);
    },
  );

  it('without such objects, whatever else its providers give', async () => {
    class Replaced extends Reports {
      override async run(): Promise<string> {
        return Promise.resolve('replaced');
      }
    }
    const hostile = (): never => {
      throw new Error('hostile');
    };
    const values: unknown[] = [
      ...[undefined, null, 7, 'text', [], {}, Reports, () => new Reports()],
      Object.create(null),
      Object.assign(new Reports(), { run: async () => 'mocked' }),
      new Replaced(),
      new Proxy(new Reports(), { ownKeys: hostile, getOwnPropertyDescriptor: hostile }),
      Object.defineProperty({}, 'getter', { get: hostile, enumerable: true }),
    ];
    const app = await start(
      Reports,
      ...values.map((value, index) => ({ provide: `value ${index}`, useValue: value })),
      { provide: 'alias', useExisting: Reports },
      { provide: 'passed on', inject: [Reports], useFactory: (reports: Reports) => reports },
      {
        provide: 'created',
        inject: [ModuleRef],
        useFactory: (moduleRef: ModuleRef) => moduleRef.create(Reports),
      },
      { provide: 'per request', scope: Scope.REQUEST, useFactory: () => new Reports() },
    );
    for (const name of ['alias', 'passed on', 'created']) {
      await expect(app.get<Reports>(name).run()).resolves.toBe('report');
    }
    const perRequest = await app.resolve<Reports>('per request');
    await expect(perRequest.run()).rejects.toThrow(/Nest did not build its object/);
  });
});
