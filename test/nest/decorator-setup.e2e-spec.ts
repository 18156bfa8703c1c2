import { Controller, Get, Injectable, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { LockedSetupError } from 'nestjs-zk-lock';
import { beforeEach, describe, expect, it } from 'vitest';
import { DECORATORS } from './support/decorators.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

const IN_A_TEST =
  'In a test, list the class in createLockTestingModule() of nestjs-zk-lock/testing.';

let runs = 0;
beforeEach(() => (runs = 0));

describe.each(DECORATORS)('%s', (name, { decorate, current, ready }) => {
  @Injectable()
  class Jobs {
    @decorate('job', { instead: 'skip' })
    async run(): Promise<string> {
      runs++;
      return current().key;
    }
  }

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'there is no ZkLockModule',
      `it is ${name}(), but the application has no LockService. Import ZkLockModule.forRoot({ … }) in the root module. ${IN_A_TEST}`,
      async () => {
        const app = await apps.start({ providers: [Jobs] });
        return app.get(Jobs).run();
      },
    ],
    [
      'its own constructor calls it',
      `it is ${name}(), but Nest did not create its object, or is still creating it`,
      async () => {
        @Injectable()
        class Eager extends Jobs {
          readonly failure = this.run().catch((error: unknown) => error);
        }
        const app = await apps.start({ imports: [apps.zkLock()], providers: [Eager] });
        throw await app.get(Eager).failure;
      },
    ],
    [
      'it is called before Nest has built the LockService',
      'the LockService is not ready yet. Call it after bootstrap',
      async () => {
        const early = {
          provide: 'early',
          inject: [Jobs],
          useFactory: (jobs: Jobs) => jobs.run().catch((error: unknown) => ({ error })),
        };
        const app = await apps.start({ imports: [apps.zkLock()], providers: [early, Jobs] });
        throw app.get<{ error: unknown }>('early').error;
      },
    ],
  ])('neither runs nor skips a method when %s', async (_situation, message, call) => {
    const called = call();
    await expect(called).rejects.toThrow(LockedSetupError);
    await expect(called).rejects.toThrow(`Jobs.run cannot run: `);
    await expect(called).rejects.toThrow(message);
    expect(runs).toBe(0);
  });

  it('uses the connection that it names, and no other', async () => {
    @Injectable()
    class Archive {
      @decorate('main')
      async around(): Promise<string[]> {
        return this.nodes();
      }

      @decorate('archive', { connection: 'archive' })
      async nodes(): Promise<string[]> {
        return apps.lockNodes();
      }
    }
    const app = await apps.start({
      imports: [
        apps.zkLock({ root: `${apps.root}/main` }),
        apps.zkLock({ root: `${apps.root}/archive`, name: 'archive' }),
      ],
      providers: [Archive],
    });
    await ready(app, 'main');
    await ready(app, 'archive', 'archive');
    const nodes = await app.get(Archive).around();
    expect(nodes.map((node) => node.split('/').slice(0, 2))).toEqual([
      ['archive', 'archive'],
      ['main', 'main'],
    ]);
  });

  describe('does not let an application start', () => {
    class Archive {
      @Get()
      @decorate('job', { connection: 'archive' })
      async run(): Promise<void> {}
    }

    @Controller()
    class Handlers extends Archive {}

    class Derived extends Archive {}

    const run = Symbol('run');
    class Named {
      @decorate('job', { connection: 'archive' })
      async [run](): Promise<void> {}
    }

    const created = {
      provide: 'archive',
      inject: [ModuleRef],
      useFactory: (moduleRef: ModuleRef) => moduleRef.create(Archive),
    };

    it.each<[string, string, object]>([
      ['a provider', 'Archive.run', { providers: [Archive] }],
      ['an object made by moduleRef.create()', 'Archive.run', { providers: [created] }],
      ['what a provider inherits', 'Archive.run', { providers: [Derived] }],
      ['a controller', 'Archive.run', { controllers: [Handlers] }],
      ['a method that a symbol names', 'Named.Symbol(run)', { providers: [Named] }],
    ])('with a connection on %s that no ZkLockModule has', async (_where, method, metadata) => {
      const started = apps.start({ imports: [apps.zkLock()], ...metadata });
      await expect(started).rejects.toThrow(LockedSetupError);
      await expect(started).rejects.toThrow(
        `${method} cannot run: it is ${name}(), but the application has no LockService named "archive". Import ZkLockModule.forRoot({ name: 'archive', … })`,
      );
    });

    it('without a name of a connection where all connections have names, and says which', async () => {
      const imports = ['billing', 'archive'].map((each) => apps.zkLock({ name: each }));
      const started = apps.start({ imports, providers: [Jobs] });
      await expect(started).rejects.toThrow(
        `Jobs.run cannot run: it is ${name}(), but the application has no LockService. It has named connections ('archive', 'billing'): pass one, as in { connection: 'archive' }. Otherwise: Import ZkLockModule.forRoot({ … })`,
      );
    });

    it.each<[string, Provider]>([
      ['useFactory', { provide: Jobs, useFactory: () => new Jobs() }],
      ['useFactory, later', { provide: 'jobs', useFactory: async () => new Jobs() }],
      ['useValue', { provide: 'jobs', useValue: new Jobs() }],
    ])('with an object made by %s, whose methods could not run', async (_by, made) => {
      const started = apps.start({ imports: [apps.zkLock()], providers: [made] });
      await expect(started).rejects.toThrow(LockedSetupError);
      await expect(started).rejects.toThrow(
        `Jobs.run cannot run: it is ${name}(), but Nest did not create its object`,
      );
    });
  });
});
