import type { ModuleRef } from '@nestjs/core';
import {
  InjectElection,
  InjectSemaphore,
  type LeaderElection,
  type LeaderTerm,
  Locked,
  type LockService,
  type MultiLock,
  type Permit,
  type Semaphore,
  type UpgradableLock,
  WithPermit,
  ZkLockModule,
  getElectionToken,
  getSemaphoreToken,
} from 'nestjs-zk-lock';
import type { AnswersFor } from '../../libs/nestjs-zk-lock/src/decorators/definition.js';

/** Compiled by `npm run check:types` but never run. Fails if the compiler accepts a mistake. */

// @ts-expect-error a permit has no fencing token
export type FencingToken = Permit['fencingToken'];
// @ts-expect-error a permit has no mode
export type Mode = Permit['mode'];
// @ts-expect-error several locks have a fencing token each, and none together
export type FencingTokenOfSeveral = MultiLock['fencingToken'];
// @ts-expect-error a term is given up by the election, which queues up again
export type ReleaseOfTerm = LeaderTerm['release'];

export async function misuse(
  locks: LockService,
  permit: Permit,
  upgradable: UpgradableLock,
): Promise<void> {
  // @ts-expect-error there is no such mode
  await locks.acquire('k', { mode: 'upgradable' });
  // @ts-expect-error an upgradable lock begins as a reader
  await locks.acquireUpgradable('k', { mode: 'write' });
  // @ts-expect-error it never joins another lock
  await locks.acquireUpgradable('k', { reentrant: true });
  // @ts-expect-error its node says already what it is for
  await upgradable.upgrade({ label: 'x' });
  // @ts-expect-error only an upgradable lock becomes a writer
  const _upgrade: UpgradableLock = await locks.acquire('k', { mode: 'read' });
  // @ts-expect-error a single try does not wait
  await locks.tryAcquire('k', { timeoutMs: 1 });
  // @ts-expect-error a lock has no permits
  await locks.acquire('k', { permits: 2 });
  // @ts-expect-error nor has a single try
  await locks.tryAcquire('k', { permits: 2 });
  // @ts-expect-error a permit is no lock
  await locks.withLock('k', (lock) => permit === lock);
  // @ts-expect-error permits have no mode
  await locks.semaphore('k', { permits: 2 }).acquire({ mode: 'read' });
  // @ts-expect-error a single try does not wait
  await locks.semaphore('k', { permits: 2 }).tryAcquire({ timeoutMs: 1 });
  // @ts-expect-error a shared count has a seed
  locks.semaphore('k', { permits: { sharedCount: '/c' } });
  // @ts-expect-error how many there are has to be said
  locks.semaphore('k', {});
}

export class Decorated {
  // @ts-expect-error permits have no mode
  @WithPermit('k', { permits: 2, mode: 'read' })
  async mode(): Promise<void> {}

  // @ts-expect-error nor can they be joined
  @WithPermit('k', { permits: 2, reentrant: true })
  async reentrant(): Promise<void> {}

  // @ts-expect-error a lock has no permits
  @Locked('k', { permits: 2 })
  async permits(): Promise<void> {}

  // @ts-expect-error a getter is no asynchronous method
  @Locked('k')
  get getter(): Date {
    return new Date();
  }

  // @ts-expect-error there is no such mode
  @Locked('k', 500, 'shared')
  async otherMode(): Promise<void> {}

  // @ts-expect-error the timeout comes before the mode
  @Locked('k', 'read')
  async noTimeout(): Promise<void> {}

  // @ts-expect-error an object has the mode inside it
  @Locked('k', { timeoutMs: 500 }, 'read')
  async modeBesideObject(): Promise<void> {}

  // @ts-expect-error other options need an object
  @Locked('k', 500, 'read', { connection: 'billing' })
  async optionsBehindMode(): Promise<void> {}

  // @ts-expect-error a call of a job that is not due resolves to undefined
  @Locked('k', { atMostEveryMs: 60_000 })
  async job(): Promise<number> {
    return Promise.resolve(1);
  }

  // @ts-expect-error also if a busy lock is an error
  @Locked('k', { atMostEveryMs: 60_000, onBusy: 'throw' })
  async jobThatThrows(): Promise<number> {
    return Promise.resolve(1);
  }

  @Locked('k', { atMostEveryMs: 60_000, timeoutMs: (ms: number) => ms })
  async jobWithoutResult(_ms: number): Promise<void> {}

  @Locked('k', { atMostEveryMs: 60_000, onBusy: (one: number) => one })
  async jobWithAnswer(one: number): Promise<number> {
    return Promise.resolve(one);
  }

  // @ts-expect-error nothing comes behind an object
  @Locked('k', { mode: 'read' }, undefined)
  async behindObject(): Promise<void> {}

  // @ts-expect-error the function takes a number where the method takes a text
  @Locked('k', (id: number) => id, 'read')
  async otherTimeoutOfLock(_id: string): Promise<void> {}

  // @ts-expect-error so does that of the key
  @Locked((id: number) => `${id}`, 500, 'read')
  async otherKeyOfLock(_id: string): Promise<void> {}

  @Locked((id: string) => id, 500, 'read')
  @Locked(['a', 'b:{0}'], (id: string) => id.length)
  @Locked('k', undefined, 'write')
  async shortForms(_id: string): Promise<void> {}

  // @ts-expect-error a shared count has a seed
  @WithPermit('k', { permits: { sharedCount: '/c' } })
  async noSeed(): Promise<void> {}

  // @ts-expect-error a call takes permits of one semaphore
  @WithPermit(['a', 'b'], { permits: 2 })
  async severalKeys(): Promise<void> {}

  // @ts-expect-error nor does its function give several
  @WithPermit((...ids: string[]) => ids, { permits: 2 })
  async severalKeysOfArguments(..._ids: string[]): Promise<void> {}

  // @ts-expect-error a synchronous method cannot wait for permits
  @WithPermit('k', { permits: 2 })
  sync(): number {
    return 1;
  }

  // @ts-expect-error the key function takes a number where the method takes a text
  @WithPermit((id: number) => `${id}`, { permits: 2 })
  async otherKey(_id: string): Promise<void> {}

  // @ts-expect-error so does the one that says how many are taken
  @WithPermit('k', { permits: 2, take: (id: number) => id })
  async otherTake(_id: string): Promise<void> {}

  // @ts-expect-error and the one that says for how long
  @WithPermit('k', { permits: 2, timeoutMs: (id: number) => id })
  async otherTimeout(_id: string): Promise<void> {}

  @WithPermit((id: string) => id, {
    permits: { sharedCount: '/c', seed: 2 },
    take: (_id: string, many?: number) => many,
    timeoutMs: (id: string) => id.length,
  })
  async fits(_id: string, _many?: number): Promise<void> {}
}

// @ts-expect-error a class is no method
@Locked('k')
export class LockedClass {}

export const election = (moduleRef: ModuleRef): unknown =>
  moduleRef.get(getElectionToken('k')).term$;

type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** The compiler's message says what to declare if a skipped call would return undefined. */
export const said: Same<
  AnswersFor<() => Promise<string>, 'skip'>,
  { 'declare the result as': Promise<string | undefined> }
> = true;

// @ts-expect-error a semaphore has a number of permits
ZkLockModule.forFeature({ semaphores: ['cards'] });
// @ts-expect-error nothing else gives it one
ZkLockModule.forFeature({ semaphores: [{ key: 'cards' }] });
// @ts-expect-error an election has a key and no permits
ZkLockModule.forFeature({ elections: [{ key: 'reports', permits: 1 }] });
// @ts-expect-error a connection is named as in decorators
ZkLockModule.forFeature({ name: 'billing' });
// @ts-expect-error one key is one token
InjectSemaphore(['a', 'b']);
// @ts-expect-error an election has no permits
InjectElection('reports', { permits: 1 });

export class Injected {
  constructor(
    @InjectSemaphore('cards') readonly cards: Semaphore,
    @InjectSemaphore('cards', 'billing') readonly billing: Semaphore,
    @InjectElection('reports') readonly reports: LeaderElection,
  ) {}

  // `forFeature()` says how many there are.
  @WithPermit('cards')
  async noOptions(): Promise<void> {}

  @WithPermit('cards', { take: 2 })
  async noPermits(): Promise<void> {}
}

export function tokens(app: ModuleRef): [Semaphore, LeaderElection] {
  // @ts-expect-error the token of an election is not that of a semaphore
  const _semaphore: Semaphore = app.get(getElectionToken('reports'));
  return [app.get(getSemaphoreToken('cards')), app.get(getElectionToken('reports', 'billing'))];
}
