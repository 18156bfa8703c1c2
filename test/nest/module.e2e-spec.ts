import { Inject, Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader, Reflector } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  LockService,
  Locked,
  LockedSetupError,
  ZkLockConfigError,
  ZkLockModule,
  type ZkLockModuleOptions,
  type ZkLockOptionsFactory,
  ZooKeeperUnavailableError,
} from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { firstValueFrom, filter } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { readConnections } from 'zk-locks/events';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class OptionsFactory implements ZkLockOptionsFactory {
  createZkLockOptions(): Promise<ZkLockModuleOptions> {
    return Promise.resolve(apps.options());
  }
}

@Module({ providers: [OptionsFactory], exports: [OptionsFactory] })
class OptionsModule {}

@Injectable()
class Consumer {
  constructor(@Inject(LockService) readonly locks: LockService) {}
}

@Module({ providers: [Consumer] })
class FeatureModule {}

const other = { name: 'other', connectTimeoutMs: 100 };

@Module({})
class BrokenModule {
  @Locked('key', { connection: 'nowhere' })
  async work(): Promise<void> {}
}

const compile = (...imports: Parameters<typeof apps.start>[0]['imports'] & object) =>
  Test.createTestingModule({ imports }).compile();

describe('ZkLockModule', () => {
  it.each([
    ['forRoot', () => apps.zkLock()],
    [
      'forRootAsync with useFactory',
      () =>
        ZkLockModule.forRootAsync({
          imports: [OptionsModule],
          inject: [OptionsFactory],
          useFactory: (factory: OptionsFactory) => factory.createZkLockOptions(),
        }),
    ],
    ['forRootAsync with useClass', () => ZkLockModule.forRootAsync({ useClass: OptionsFactory })],
    [
      'forRootAsync with useExisting',
      () =>
        ZkLockModule.forRootAsync({
          imports: [OptionsModule],
          useExisting: OptionsFactory,
        }),
    ],
  ])('gives every module a connected LockService: %s', async (_how, zkLock) => {
    const app = await apps.start({ imports: [zkLock(), FeatureModule] });
    const { locks } = app.select(FeatureModule).get(Consumer);
    expect(locks.session.snapshot.state.name).toBe('connected');
    await expect(locks.withLock('key', (lock) => lock.key)).resolves.toBe('key');
  });

  it('gives it only to modules that import it, if isGlobal is false', async () => {
    const compiled = Test.createTestingModule({
      imports: [apps.zkLock({ isGlobal: false }), FeatureModule],
    })
      .overrideProvider(LockService)
      .useValue({})
      .compile();
    await expect(compiled).rejects.toThrow(/can't resolve dependencies of the Consumer/);
  });

  it.each<[option: string, options: object | undefined]>([
    ['servers', { servers: '' }],
    ['sessionTimeoutMs', { sessionTimeoutMs: -1 }],
    ['mapErrors', { mapErrors: 1 }],
    ['retries', { retries: 5 }],
  ])('refuses to start and names the option at fault: %s in %j', async (option, options) => {
    const refused = compile(ZkLockModule.forRoot({ ...apps.options(), ...options }));
    await expect(refused).rejects.toThrow(ZkLockConfigError);
    await expect(refused).rejects.toThrow(`\`${option}\``);
  });

  it('says so if an options factory returns nothing', async () => {
    const nothing = { useFactory: () => undefined as unknown as ZkLockModuleOptions };
    await expect(compile(ZkLockModule.forRootAsync(nothing))).rejects.toThrow(
      '`options` must be an object; got undefined. Return at least { servers } from useFactory',
    );
  });

  it.each(['useClass', 'useExisting'])('names the method that a class of %s lacks', async (by) => {
    const options = { [by]: Reflector };
    await expect(compile(ZkLockModule.forRootAsync(options as never))).rejects.toThrow(
      '`createZkLockOptions` must be a method of the class that useClass or useExisting names. Let the class implement ZkLockOptionsFactory.',
    );
  });

  it.each([
    [
      'another one finds no server',
      ZooKeeperUnavailableError,
      () => apps.zkLock({ ...other, servers: '127.0.0.1:1' }),
    ],
    [
      'the options of another one are wrong',
      ZkLockConfigError,
      () => apps.zkLock({ ...other, retries: 5 } as never),
    ],
    [
      'the options factory of another one throws',
      RangeError,
      () =>
        ZkLockModule.forRootAsync({
          name: 'other',
          useFactory: () => {
            throw new RangeError();
          },
        }),
    ],
    ['a decorated method names one that is missing', LockedSetupError, () => BrokenModule],
    [
      'forFeature() names one that is missing',
      ZkLockConfigError,
      () => ZkLockModule.forFeature({ connection: 'missing', elections: ['reports'] }),
    ],
    [
      'the lock board names one that is missing',
      ZkLockConfigError,
      () => ZkLockBoardModule.forRoot({ guards: 'none', connection: 'missing' }),
    ],
    [
      'the lock board has options that do not go together',
      ZkLockConfigError,
      () =>
        ZkLockBoardModule.forRootAsync({
          guards: 'none',
          useFactory: () => ({ readOnly: false }),
        }),
    ],
    [
      'the options factory of the lock board throws',
      RangeError,
      () =>
        ZkLockBoardModule.forRootAsync({
          guards: 'none',
          useFactory: () => {
            throw new RangeError();
          },
        }),
    ],
    [
      'the buckets of metrics do not rise',
      ZkLockConfigError,
      () => ZkLockPrometheusModule.forRoot({ buckets: [2, 1] }),
    ],
  ])(
    'closes its connection when the application cannot start, as %s, and says so',
    async (_why, error, broken) => {
      for (const imports of [
        [apps.zkLock(), broken()],
        [broken(), apps.zkLock()],
      ]) {
        await expect(apps.start({ imports })).rejects.toThrow(error);
        await waitFor(() => readConnections().length === 0, { what: 'no connection' });
      }
    },
  );

  it('keeps its connection when the application cannot load another one later', async () => {
    const app = await apps.start({ imports: [apps.zkLock()] });
    const broken = apps.zkLock({ ...other, servers: '127.0.0.1:1' });
    const loading = app.get(LazyModuleLoader).load(() => broken);
    await expect(loading).rejects.toThrow(ZooKeeperUnavailableError);
    await expect(app.get(LockService).withLock('key', ({ isHeld }) => isHeld)).resolves.toBe(true);
  });

  it.each<[problem: string, call: () => unknown]>([
    ['forRoot', () => ZkLockModule.forRoot(undefined as never)],
    ['forRootAsync', () => ZkLockModule.forRootAsync(undefined as never)],
    ['forRootAsync', () => ZkLockModule.forRootAsync({})],
    ['lazy', () => ZkLockModule.forRootAsync({ useFactory: () => ({}), lazy: true } as never)],
    ['name', () => ZkLockModule.forRoot({ servers: 'zk', name: '' })],
  ])('refuses at once what cannot become a module: %s', (problem, call) => {
    expect(call).toThrow(ZkLockConfigError);
    expect(call).toThrow(`\`${problem}\``);
  });

  it.each([
    [undefined, undefined],
    ['archive', undefined],
    [undefined, false],
    ['archive', false],
  ])('refuses a second connection of the name %s, with isGlobal: %s', async (name, isGlobal) => {
    const other = apps.zkLock({ name, isGlobal });
    @Module({ imports: [other] })
    class OtherModule {}
    const twice = compile(apps.zkLock({ name }), OtherModule);
    await expect(twice).rejects.toThrow(ZkLockConfigError);
    await expect(twice).rejects.toThrow(/ZkLockModule is imported more than once/);
  });

  it('starts without ZooKeeper if it is lazy, and takes locks once ZooKeeper is there', async () => {
    const proxy = await openProxy();
    await proxy.refuse();
    const app = await apps.start({
      imports: [apps.zkLock({ servers: proxy.connectString, lazy: true })],
    });
    const locks = app.get(LockService);
    expect(locks.session.snapshot.state.name).toBe('connecting');
    await expect(locks.acquire('key', { timeoutMs: 50 })).rejects.toThrow(
      ZooKeeperUnavailableError,
    );
    const locked = locks.withLock('key', (lock) => lock.key);
    await proxy.accept();
    await expect(locked).resolves.toBe('key');
    await firstValueFrom(locks.session.state$.pipe(filter(({ name }) => name === 'connected')));
    await app.close();
  });
});
