import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  InjectLockService,
  LockService,
  LockTimeoutError,
  ZkLockModule,
  type ZkLockModuleOptions,
  getLockServiceToken,
} from 'nestjs-zk-lock';
import { getEmbeddedZooKeeper, holdElsewhere, withEmbeddedZooKeeper } from 'nestjs-zk-lock/testing';
import { describe, expect, it } from 'vitest';
import { closedAfterwards } from './support.js';

/** No server answers there. */
const elsewhere: ZkLockModuleOptions = { servers: '127.0.0.1:1/chroot' };

/**
 * The modules of a typical application: the root module connects, and another one uses the locks.
 */
function appModule(...zkLock: DynamicModule[]): DynamicModule {
  @Injectable()
  class Orders {
    constructor(readonly locks: LockService) {}
  }
  @Module({ providers: [Orders], exports: [Orders] })
  class OrdersModule {}
  class AppModule {}
  return { module: AppModule, imports: [...zkLock, OrdersModule] };
}

const build = async (...imports: DynamicModule[]) =>
  closedAfterwards(await withEmbeddedZooKeeper(Test.createTestingModule({ imports })).compile());

describe('an application on an embedded server', () => {
  it.each([
    ['forRoot', () => ZkLockModule.forRoot({ ...elsewhere })],
    [
      'forRoot without a setting',
      () => ZkLockModule.forRoot({ servers: process.env.NO_SUCH_SETTING! }),
    ],
    [
      'forRootAsync',
      () =>
        ZkLockModule.forRootAsync({
          useFactory: async () => Promise.resolve(elsewhere),
        }),
    ],
  ])('connects to no other server: %s', async (_how, zkLock) => {
    const moduleRef = await build(appModule(zkLock()));
    const { session } = moduleRef.get(LockService);
    const { connectString } = getEmbeddedZooKeeper(moduleRef);
    await expect
      .poll(() => session.snapshot)
      .toMatchObject({ state: { name: 'connected' }, servers: connectString });
    await expect(moduleRef.get(LockService).withLock('key', ({ key }) => key)).resolves.toBe('key');
  });

  it('has a server per connection, so that equal keys do not collide', async () => {
    @Injectable()
    class Uses {
      constructor(@InjectLockService('billing') readonly billing: LockService) {}
    }
    const billing = ZkLockModule.forRoot({ ...elsewhere, name: 'billing' });
    const uses: DynamicModule = { module: class UsesModule {}, providers: [Uses] };
    const moduleRef = await build(appModule(ZkLockModule.forRoot({ ...elsewhere }), billing, uses));
    expect(moduleRef.get(Uses, { strict: false }).billing).toBe(
      moduleRef.get(getLockServiceToken('billing')),
    );
    expect(getEmbeddedZooKeeper(moduleRef)).not.toBe(
      getEmbeddedZooKeeper(moduleRef, { connection: 'billing' }),
    );
    await using _rival = await holdElsewhere(moduleRef, 'key', { connection: 'billing' });
    await moduleRef.get(LockService).withLock('key', () => undefined);
    const billingLocks = moduleRef.get<LockService>(getLockServiceToken('billing'));
    await expect(billingLocks.tryAcquire('key')).resolves.toBeNull();
  });

  it('keeps its own options, unless the test asks for others', async () => {
    const zkLock = ZkLockModule.forRoot({ ...elsewhere, root: '/own/root', acquireTimeoutMs: 0 });
    const builder = Test.createTestingModule({ imports: [zkLock] });
    const moduleRef = closedAfterwards(
      await withEmbeddedZooKeeper(builder, { sessionTimeoutMs: 4_000 }).compile(),
    );
    const locks = moduleRef.get(LockService);
    expect(locks.session.snapshot.state).toMatchObject({ timeoutMs: 4_000 });
    await using _rival = await holdElsewhere(moduleRef, 'key');
    const [session] = (await getEmbeddedZooKeeper(moduleRef).sessions()).filter(
      ({ ephemerals }) => ephemerals.length > 0,
    );
    expect(session!.ephemerals[0]).toMatch(/^\/own\/root\/key\//);
    await expect(locks.acquire('key')).rejects.toMatchObject({ timeoutMs: 0 });
    await expect(locks.acquire('key')).rejects.toThrow(LockTimeoutError);
  });

  it.each<[string, Partial<ZkLockModuleOptions>]>([
    ['TLS', { tls: true }],
    ['SASL', { credentials: { username: 'app', password: 'secret', scheme: 'sasl' } }],
  ])('needs no %s, which the embedded server does not support', async (_what, options) => {
    const moduleRef = await build(appModule(ZkLockModule.forRoot({ ...elsewhere, ...options })));
    await moduleRef.get(LockService).withLock('key', ({ isHeld }) => expect(isHeld).toBe(true));
  });

  it('has a session that is long enough for its `marginMs`, unless the test asks for another', async () => {
    const zkLock = ZkLockModule.forRoot({ ...elsewhere, marginMs: 3_000 });
    const moduleRef = await build(appModule(zkLock));
    await moduleRef.get(LockService).withLock('key', ({ isHeld }) => expect(isHeld).toBe(true));
    const builder = Test.createTestingModule({ imports: [zkLock] });
    const compiling = withEmbeddedZooKeeper(builder, { sessionTimeoutMs: 2_000 }).compile();
    await expect(compiling).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG', option: 'marginMs' });
  });

  it('lets the test replace its services', async () => {
    const substitute = { withLock: (_key: string, fn: () => unknown) => fn() };
    const builder = Test.createTestingModule({ imports: [ZkLockModule.forRoot(elsewhere)] });
    const moduleRef = closedAfterwards(
      await withEmbeddedZooKeeper(builder)
        .overrideProvider(LockService)
        .useValue(substitute)
        .compile(),
    );
    expect(moduleRef.get(LockService)).toBe(substitute);
  });
});
