import { Test, type TestingModule } from '@nestjs/testing';
import { LockLostError, LockService, LockTimeoutError, getLockServiceToken } from 'nestjs-zk-lock';
import {
  LockTestingError,
  createLockTestingModule,
  getEmbeddedZooKeeper,
  holdElsewhere,
  loseLocks,
} from 'nestjs-zk-lock/testing';
import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { leftOf } from '../support/left-of.js';
import { closedAfterwards } from './support.js';

let moduleRef: TestingModule;
let locks: LockService;
beforeEach(async () => {
  // On a busy machine, no session ends by itself.
  moduleRef = await createLockTestingModule({}, { sessionTimeoutMs: 30_000 }).compile();
  locks = moduleRef.get(LockService);
  return () => moduleRef.close();
});

describe('loseLocks()', () => {
  it('resolves once all holders have been told', async () => {
    const held = await Promise.all([locks.acquire('one'), locks.acquire('two', { mode: 'read' })]);
    await loseLocks(moduleRef);
    for (const lock of held) {
      expect(lock.signal.reason).toBeInstanceOf(LockLostError);
      expect(lock.signal.reason).toMatchObject({ reason: 'session-expired' });
      expect(() => lock.assertHeld()).toThrow(LockLostError);
    }
  });

  it('waits for a lock that is about to be acquired, and does not block the next one', async () => {
    const work = locks.withLock('key', (lock) => once(lock.signal, 'abort'));
    const told = expect(work).rejects.toThrow(LockLostError);
    await loseLocks(moduleRef);
    await told;
    await expect(locks.withLock('key', ({ key }) => key)).resolves.toBe('key');
  });

  it('also tells holders that are cut off from the server', async () => {
    const module = closedAfterwards(await createLockTestingModule({}).compile());
    const lock = await module.get(LockService).acquire('key');
    await getEmbeddedZooKeeper(module).refuse();
    await loseLocks(module);
    expect(lock.signal.reason).toMatchObject({ reason: 'lease-expired' });
  });

  it('leaves the rivals their locks', async () => {
    await using rival = await holdElsewhere(moduleRef, 'other');
    await using _lock = await locks.acquire('key');
    await loseLocks(moduleRef);
    rival.lock.assertHeld();
  });

  it('reports that there is no server', async () => {
    await expect(loseLocks(moduleRef)).rejects.toThrow(/no lock held within 2000 ms/);
  });
});

describe('holdElsewhere()', () => {
  /** All sessions except the module's. */
  const rivals = async (): Promise<unknown[]> =>
    (await getEmbeddedZooKeeper(moduleRef).sessions()).slice(1);

  it('acquires the lock as another replica would', async () => {
    const rival = await holdElsewhere(moduleRef, 'key');
    expect(await locks.tryAcquire('key')).toBeNull();
    await rival.leave();
    await rival.leave();
    await using lock = await locks.tryAcquire('key');
    expect(lock!.fencingToken).toBeGreaterThan(rival.lock.fencingToken);
    expect(await leftOf(rivals)).toEqual([]);
  });

  it('acquires it with the given AcquireOptions', async () => {
    await using _rival = await holdElsewhere(moduleRef, 'key', { mode: 'read' });
    await using lock = await locks.tryAcquire('key', { mode: 'read' });
    expect(lock).not.toBeNull();
  });

  it('reports that the lock is not free, and leaves no session', async () => {
    await using _lock = await locks.acquire('key');
    const rival = holdElsewhere(moduleRef, 'key', { timeoutMs: 0 });
    await expect(rival).rejects.toThrow(LockTimeoutError);
    expect(await leftOf(rivals)).toEqual([]);
  });
});

describe('a module without an embedded server', () => {
  it.each<[helper: string, use: (module: TestingModule) => unknown]>([
    ['getEmbeddedZooKeeper', async (module) => getEmbeddedZooKeeper(module)],
    ['loseLocks', (module) => loseLocks(module)],
    ['holdElsewhere', (module) => holdElsewhere(module, 'key')],
  ])('is told what to build it with by %s()', async (_helper, use) => {
    const plain = closedAfterwards(await Test.createTestingModule({}).compile());
    const used = use(plain);
    await expect(used).rejects.toThrow(LockTestingError);
    await expect(used).rejects.toThrow(/createLockTestingModule\(\).*withEmbeddedZooKeeper\(\)/);
  });

  it('is told which connection it lacks', async () => {
    expect(() => getEmbeddedZooKeeper(moduleRef, { connection: 'billing' })).toThrow(
      'no connection "billing"',
    );
  });

  it('has one under the name that it was given', async () => {
    const named = closedAfterwards(
      await createLockTestingModule({}, { name: 'billing' }).compile(),
    );
    const billing = named.get<LockService>(getLockServiceToken('billing'));
    await using lock = await billing.acquire('key');
    await loseLocks(named, { connection: 'billing' });
    expect(lock.isHeld).toBe(false);
  });

  it('has no locks to lose if the service is replaced', async () => {
    const mocked = closedAfterwards(
      await createLockTestingModule({}).overrideProvider(LockService).useValue({}).compile(),
    );
    await expect(loseLocks(mocked)).rejects.toThrow(/overridden/);
  });
});
