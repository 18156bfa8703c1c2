import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  getElectionToken,
  getLockServiceToken,
  getSemaphoreToken,
  InjectLockService,
  ZkLockModule,
} from 'nestjs-zk-lock';
import {
  createLockTestingModule,
  getEmbeddedZooKeeper,
  holdElsewhere,
  loseLocks,
  withEmbeddedZooKeeper,
} from 'nestjs-zk-lock/testing';
import { describe, expect, it } from 'vitest';
import { nastyValues } from './support/hostile-values.js';
import { expectNamed, outcomeOf } from './support/judge.js';

const SERVERS = { servers: '127.0.0.1:1', lazy: true } as const;

describe('ZkLockModule', () => {
  it.each([
    ['forRoot', (options: unknown) => ZkLockModule.forRoot(options as never)],
    ['forRootAsync', (options: unknown) => ZkLockModule.forRootAsync(options as never)],
  ])('.%s() works or is refused, whatever it is given', async (_name, build) => {
    for (const value of nastyValues()) await outcomeOf(() => build(value));
  });

  it('.forFeature() works or is refused for any argument', async () => {
    for (const value of nastyValues()) {
      const given = value as never;
      await outcomeOf(() => ZkLockModule.forFeature(given));
      await outcomeOf(() => ZkLockModule.forFeature({ semaphores: [given], elections: [given] }));
      const semaphores = [{ key: 'k', permits: given }];
      await outcomeOf(() => ZkLockModule.forFeature({ semaphores }));
      await expectNamed(
        () => ZkLockModule.forFeature({ elections: ['k'], connection: given }),
        ['connection'],
      );
    }
  });

  it.each(['semaphores', 'elections'])(
    'works or is refused for any `%s` of forFeature()',
    async (option) => {
      // They are copied.
      for (const value of nastyValues({ huge: false })) {
        await outcomeOf(() => ZkLockModule.forFeature({ [option]: value }));
      }
    },
  );

  it.each(['name', 'isGlobal'])('works or names `%s` for any value of it', async (option) => {
    for (const value of nastyValues()) {
      const options = { ...SERVERS, [option]: value } as never;
      await expectNamed(() => ZkLockModule.forRoot(options), [option]);
      const useFactory = (): typeof SERVERS => SERVERS;
      const asynchronous = { useFactory, [option]: value } as never;
      await expectNamed(() => ZkLockModule.forRootAsync(asynchronous), [option]);
    }
  });

  it.each(['useFactory', 'useClass', 'inject', 'imports', 'provideInjectionTokensFrom'])(
    'works or names `%s` of forRootAsync() for any value of it',
    async (option) => {
      // Nest itself copies them.
      for (const value of nastyValues({ huge: false })) {
        const options = { useFactory: () => SERVERS, [option]: value } as never;
        await expectNamed(() => ZkLockModule.forRootAsync(options), [option, 'forRootAsync']);
      }
    },
  );

  it('starts or fails with a named error for any result of its factory', async () => {
    for (const value of nastyValues()) {
      // Errors of the promise itself do not come from this library.
      if (isThenable(value)) continue;
      const module = ZkLockModule.forRootAsync({ useFactory: () => value as never });
      await outcomeOf(() => Test.createTestingModule({ imports: [module] }).compile());
    }
  });
});

it('a token is made of a name, or refused', async () => {
  for (const value of nastyValues()) {
    await expectNamed(() => getLockServiceToken(value as never), ['name']);
    await expectNamed(() => InjectLockService(value as never), ['name']);
    await expectNamed(() => getSemaphoreToken('k', value as never), ['name']);
    await outcomeOf(() => getElectionToken(value as never));
  }
});

describe('nestjs-zk-lock/testing', () => {
  it('builds a module or refuses to, for any argument', async () => {
    for (const value of nastyValues({ huge: false })) {
      const given = value as never;
      if (typeof value !== 'object') await outcomeOf(() => void createLockTestingModule(given));
      await outcomeOf(() => void createLockTestingModule({ imports: given }));
      await outcomeOf(() => void createLockTestingModule({}, given));
      await outcomeOf(() => void withEmbeddedZooKeeper(given));
      await outcomeOf(() => void withEmbeddedZooKeeper(Test.createTestingModule({}), given));
    }
  });

  it('finds its server or refuses to look, for any argument', async () => {
    const moduleRef = await createLockTestingModule({}).compile();
    await using _closing = { [Symbol.asyncDispose]: () => moduleRef.close() };
    for (const value of nastyValues()) {
      const given = value as never;
      await outcomeOf(() => void getEmbeddedZooKeeper(given));
      await outcomeOf(() => void getEmbeddedZooKeeper(moduleRef, given));
      await outcomeOf(() => void getEmbeddedZooKeeper(moduleRef, { connection: given }));
      await outcomeOf(() => loseLocks(given));
      await outcomeOf(() => holdElsewhere(given, 'k'));
      await outcomeOf(() => hold({ connection: given }));
    }
    async function hold(options: object): Promise<void> {
      await using _rival = await holdElsewhere(moduleRef, 'k', options);
    }
  });

  it('names an option of its own that is wrong when the module is compiled', async () => {
    @Module({ imports: [ZkLockModule.forRoot(SERVERS)] })
    class AppModule {}
    const builder = withEmbeddedZooKeeper(Test.createTestingModule({ imports: [AppModule] }), {
      root: Symbol('s'),
    } as never);
    const error = await expectNamed(() => builder.compile(), ['root']);
    expect(error).toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  });
});

function isThenable(value: unknown): boolean {
  try {
    return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
  } catch {
    return true;
  }
}
