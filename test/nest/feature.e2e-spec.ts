import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  InjectElection,
  InjectSemaphore,
  type LeaderElection,
  LockService,
  LockedDecoratorError,
  OnlyLeader,
  type Semaphore,
  WithPermit,
  ZkLockConfigError,
  ZkLockModule,
  getElectionToken,
  getLockServiceToken,
  getSemaphoreToken,
} from 'nestjs-zk-lock';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Farm {
  constructor(
    @InjectSemaphore('cards') readonly cards: Semaphore,
    @InjectElection('reports') readonly reports: LeaderElection,
  ) {}

  @WithPermit('cards')
  async render(): Promise<number> {
    return (await this.cards.inspect()).holders.length;
  }

  @WithPermit('cards', { take: 4 })
  async film(): Promise<number> {
    return (await this.cards.inspect()).holders.length;
  }

  @OnlyLeader('reports')
  async report(): Promise<boolean> {
    return this.reports.isLeader;
  }
}

const cards = (permits: number, connection?: string) =>
  ZkLockModule.forFeature({ semaphores: [{ key: 'cards', permits }], connection });

@Module({
  imports: [
    ZkLockModule.forFeature({
      semaphores: [{ key: 'cards', permits: 4 }],
      elections: ['reports'],
    }),
  ],
  providers: [Farm],
})
class FarmModule {}

const global = (name?: string) => apps.zkLock({ name });
const startFarm = () => apps.start({ imports: [global(), FarmModule] });

/**
 * An application with one method, which has this decorator. The application agrees on four cards.
 */
async function startWith(decorator: MethodDecorator) {
  class Other {
    async render(): Promise<void> {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Other.prototype, 'render')!;
  decorator(Other.prototype, 'render', descriptor);
  Object.defineProperty(Other.prototype, 'render', descriptor);
  const app = await apps.start({ imports: [global(), FarmModule], providers: [Other] });
  return app.get(Other);
}

describe('ZkLockModule.forFeature()', () => {
  it('provides semaphores and elections to the module that imports it', async () => {
    const app = await startFarm();
    const farm = app.get(Farm);
    expect(await farm.cards.permits()).toBe(4);
    expect([await farm.render(), await farm.film()]).toEqual([1, 4]);
    expect(app.get(LockService).election('reports')).toBe(farm.reports);
    expect(app.get<LeaderElection>(getElectionToken('reports'))).toBe(farm.reports);
    await farm.reports.whenLeader();
    expect(await farm.report()).toBe(true);
  });

  it('joins its elections at the start, before anything asks for them', async () => {
    const elections = ['feed'];
    await apps.start({ imports: [global(), ZkLockModule.forFeature({ elections })] });
    await apps.untilQueued(1);
    expect((await apps.lockNodes())[0]).toMatch(/^feed\//);
  });

  it('may be in a module that is loaded later, which must agree with the others', async () => {
    const lazily = async (...imports: DynamicModule[]) => {
      const app = await apps.start({ imports: [global(), ...imports] });
      return app.get(LazyModuleLoader).load(() => FarmModule);
    };
    const farm = (await lazily()).get(Farm);
    expect([await farm.render(), await farm.film()]).toEqual([1, 4]);
    await expect(lazily(cards(5))).rejects.toThrow(
      '`permits` must be the same everywhere: ZkLockModule.forFeature() gives the semaphore "cards" 5; got 4.',
    );
  });

  it('keeps the features of named connections apart', async () => {
    const app = await apps.start({
      imports: [global(), global('a'), cards(1), cards(2, 'a')],
    });
    const [unnamed, a] = [undefined, 'a'].map((connection) =>
      app.get<Semaphore>(getSemaphoreToken('cards', connection)),
    );
    expect([await unnamed!.permits(), await a!.permits()]).toEqual([1, 2]);
    const service = app.get<LockService>(getLockServiceToken('a'));
    expect(() => service.semaphore('cards', { permits: 1 })).toThrow(ZkLockConfigError);
  });

  it("is refused at bootstrap if its permits differ from another module's", async () => {
    const refused = apps.start({ imports: [global(), FarmModule, cards(5)] });
    await expect(refused).rejects.toThrow(ZkLockConfigError);
    await expect(refused).rejects.toThrow(
      /`permits` must be the same everywhere: .* "cards" [45]; got [45]\. /,
    );
  });

  it.each([[undefined], ['billing']])(
    'says that its connection must be global: %s',
    async (connection) => {
      const zkLock = apps.zkLock({ name: connection, isGlobal: false });
      const refused = Test.createTestingModule({ imports: [zkLock, cards(4, connection)] })
        .overrideProvider(getLockServiceToken(connection))
        .useValue({})
        .compile();
      await expect(refused).rejects.toThrow(ZkLockConfigError);
      await expect(refused).rejects.toThrow(/^`isGlobal` must not be false, .* Omit it\./);
    },
  );

  it.each([
    [undefined, "It has named connections ('billing'): pass one"],
    ['archive', "Import ZkLockModule.forRoot({ name: 'archive', … }) in the root module."],
  ])('says that it has no connection: %s', async (connection, remedy) => {
    const refused = Test.createTestingModule({
      imports: [apps.zkLock({ name: 'billing' }), cards(4, connection)],
    })
      .overrideProvider(getLockServiceToken('billing'))
      .useValue({})
      .compile();
    await expect(refused).rejects.toThrow(ZkLockConfigError);
    await expect(refused).rejects.toThrow(
      '`connection` of ZkLockModule.forFeature() must name an existing',
    );
    await expect(refused).rejects.toThrow(remedy);
  });
});

describe('permits that forFeature() names', () => {
  it.each<[problem: string, decorator: MethodDecorator]>([
    [
      '`permits` must be the same everywhere: ',
      WithPermit('cards', { permits: 5 }) as MethodDecorator,
    ],
    ['`permits` must be given, ', WithPermit('disks') as MethodDecorator],
    [
      '`take` must be an integer from 1 to 4; got 5',
      WithPermit('cards', { take: 5 }) as MethodDecorator,
    ],
  ])('are what @WithPermit() must agree with, at bootstrap: %s', async (problem, decorator) => {
    const refused = startWith(decorator);
    await expect(refused).rejects.toThrow(LockedDecoratorError);
    await expect(refused).rejects.toThrow(`@WithPermit() on Other.render: ${problem}`);
  });
});
