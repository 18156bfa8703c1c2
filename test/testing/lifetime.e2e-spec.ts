import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import {
  createLockTestingModule,
  getEmbeddedZooKeeper,
  holdElsewhere,
  withEmbeddedZooKeeper,
} from 'nestjs-zk-lock/testing';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Gate } from '../nest/support/gate.js';
import { leftOf } from '../support/left-of.js';
import { recordStarted } from './support.js';

describe('an embedded server', () => {
  it.each(['the testing module', 'an application of it', 'an application that was initialized'])(
    'ends with %s, after the lock service',
    async (context) => {
      const started = recordStarted();
      const moduleRef = await createLockTestingModule({}).compile();
      const closed =
        context === 'the testing module' ? moduleRef : moduleRef.createNestApplication();
      if (context.endsWith('initialized')) await closed.init();
      const sessions = getEmbeddedZooKeeper(closed).sessions();
      expect(await sessions).toHaveLength(1);
      const [server] = started.servers;
      const [service] = started.services;
      const stop = server!.stop.bind(server);
      let left: unknown;
      server!.stop = async () => {
        left = [service!.session.snapshot.state.name, await leftOf(() => server!.sessions())];
        await stop();
      };
      await closed.close();
      expect(left).toEqual(['closed', []]);
      await started.expectNothingLeft();
    },
  );

  it('serves the shutdown hooks of other modules', async () => {
    let token: bigint | undefined;
    @Injectable()
    class Farewell implements OnApplicationShutdown {
      constructor(@Inject(LockService) private readonly locks: LockService) {}

      async onApplicationShutdown(): Promise<void> {
        token = await this.locks.withLock('farewell', (lock) => lock.fencingToken);
      }
    }
    @Module({ providers: [Farewell] })
    class FarewellModule {}
    @Module({ imports: [FarewellModule] })
    class OuterModule {}
    // A busy machine may stall for longer than the session timeout of a test.
    const moduleRef = await createLockTestingModule(
      { imports: [OuterModule] },
      { sessionTimeoutMs: 30_000 },
    ).compile();
    await moduleRef.close();
    expect(token).toBeTypeOf('bigint');
  });

  it('ends together with the remaining rivals', async () => {
    const moduleRef = await createLockTestingModule({}, { sessionTimeoutMs: 30_000 }).compile();
    const { lock } = await holdElsewhere(moduleRef, 'key');
    await moduleRef.close();
    expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'service-closed' });
  });
});

describe('a module is closed with all that is in it', () => {
  it.each(['pause', 'halt', 'stop', 'refuse'] as const)('after %s()', async (fault) => {
    const started = recordStarted();
    const moduleRef = await createLockTestingModule({}, { shutdownGraceMs: 0 }).compile();
    await moduleRef.get(LockService).acquire('key');
    await getEmbeddedZooKeeper(moduleRef)[fault]();
    await moduleRef.close();
    await started.expectNothingLeft();
  });
});

describe('where compile() fails', () => {
  const elsewhere: ZkLockModuleOptions = { servers: '127.0.0.1:1' };
  const broken = (inject: (typeof LockService)[]) => ({
    provide: 'broken',
    inject,
    useFactory: () => {
      throw new Error('broken');
    },
  });

  it.each([
    ['before there is a lock service', []],
    ['after that', [LockService]],
  ])('nothing goes on: %s', async (_when, inject) => {
    const started = recordStarted();
    const compiled = createLockTestingModule({ providers: [broken(inject)] }).compile();
    await expect(compiled).rejects.toThrow('broken');
    expect(started.servers).toHaveLength(1);
    expect(started.services).toHaveLength(1);
    await started.expectNothingLeft();
  });

  it('no server is started for options that come later', async () => {
    const started = recordStarted();
    const gate = new Gate();
    const zkLock = ZkLockModule.forRootAsync({
      useFactory: async () => {
        await gate.pass();
        return elsewhere;
      },
    });
    const compiled = withEmbeddedZooKeeper(
      Test.createTestingModule({ imports: [zkLock], providers: [broken([])] }),
    ).compile();
    await expect(compiled).rejects.toThrow('broken');
    gate.open();
    await nextTurn();
    expect(started.servers).toEqual([]);
    expect(started.services).toEqual([]);
  });

  it('for an option, nothing keeps running, and the option is named', async () => {
    const started = recordStarted();
    const compiled = createLockTestingModule({}, { root: 'no-path' }).compile();
    await expect(compiled).rejects.toThrow('`root`');
    expect(started.servers).toHaveLength(1);
    await started.expectNothingLeft();
  });

  it('if nothing imports ZkLockModule, it says what to write instead, and closes what was built', async () => {
    const onApplicationShutdown = vi.fn();
    const other = { provide: 'other', useValue: { onApplicationShutdown } };
    const compiled = withEmbeddedZooKeeper(
      Test.createTestingModule({ providers: [other] }),
    ).compile();
    await expect(compiled).rejects.toMatchObject({
      code: 'ZK_LOCK_TESTING',
      message: expect.stringMatching(/no ZkLockModule.*createLockTestingModule/) as string,
    });
    expect(onApplicationShutdown).toHaveBeenCalledOnce();
  });

  it('if ZkLockModule is imported twice, nothing keeps running', async () => {
    const started = recordStarted();
    const imports = [ZkLockModule.forRoot(elsewhere)];
    const compiled = createLockTestingModule({ imports }).compile();
    await expect(compiled).rejects.toThrow(/provides a ZkLockModule.*withEmbeddedZooKeeper/);
    await started.expectNothingLeft();
  });
});
