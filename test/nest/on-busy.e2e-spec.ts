import { Injectable, Logger } from '@nestjs/common';
import {
  LockKeyError,
  LockLostError,
  LockService,
  LockServiceClosedError,
  LockTimeoutError,
  Locked,
  WithPermit,
} from 'nestjs-zk-lock';
import { NEVER, Observable, lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

class CardDeclined extends Error {}

let gate: Gate;
let runs: unknown[];

beforeEach(() => {
  gate = new Gate();
  runs = [];
});
afterEach(() => {
  gate.open();
});

const entered = () => waitFor(() => gate.arrivals === 1, { what: 'the method to run' });

@Injectable()
class Jobs {
  @Locked('job', { onBusy: 'skip' })
  async skip(): Promise<string | undefined> {
    runs.push('skip');
    return Promise.resolve('done');
  }

  @Locked('job', { onBusy: 'skip', timeoutMs: 60_000 })
  async patient(): Promise<string | undefined> {
    return Promise.resolve('done');
  }

  @Locked('job', { onBusy: 'skip', timeoutMs: (ms?: number) => ms })
  async undecided(_ms?: number): Promise<string | undefined> {
    return Promise.resolve('done');
  }

  @Locked('job', { onBusy: 'throw', timeoutMs: 0 })
  async insist(): Promise<string> {
    return Promise.resolve('done');
  }

  @Locked('job', { onBusy: async (a: number, b: number) => Promise.resolve(a - b) })
  async sum(a: number, b: number): Promise<number> {
    runs.push('sum');
    return Promise.resolve(a + b);
  }

  @Locked('job', {
    onBusy: () => {
      throw new CardDeclined();
    },
  })
  async refuse(): Promise<void> {}

  @Locked('other', { onBusy: 'skip' })
  async calls(inner: () => Promise<unknown>): Promise<unknown> {
    return inner();
  }

  @Locked(['other', 'job'], { onBusy: 'skip' })
  async both(): Promise<void> {
    runs.push('both');
    return Promise.resolve();
  }

  @Locked('job', { onBusy: 'skip' })
  stream(): Observable<number> {
    runs.push('stream');
    return of(1, 2);
  }

  @Locked('job', { onBusy: (limit: number) => of(limit, limit) })
  otherStream(_limit: number): Observable<number> {
    return NEVER;
  }

  @Locked('job', { onBusy: async (limit: number) => Promise.resolve(limit) })
  oneValue(_limit: number): Observable<number> {
    return NEVER;
  }

  @Locked((id: string) => id, { onBusy: 'skip' })
  async named(_id: string): Promise<void> {}

  @WithPermit('seats', { permits: 1, onBusy: 'skip' })
  async sit(): Promise<string | undefined> {
    runs.push('sit');
    await gate.pass();
    return 'sat';
  }

  @WithPermit('seats', { permits: 1, onBusy: (name: string) => `no seat for ${name}` })
  async sitAs(name: string): Promise<string> {
    return Promise.resolve(`${name} sat`);
  }
}

async function build(): Promise<{ jobs: Jobs; locks: LockService }> {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Jobs] });
  return { jobs: app.get(Jobs), locks: app.get(LockService) };
}

describe('a @Locked() method whose lock is busy', () => {
  const buildBusy = async () => {
    const built = await build();
    const rival = await (await apps.replica()).acquire('job');
    return { ...built, rival };
  };

  it("does not run with onBusy: 'skip', and does not wait, unless it is told to", async () => {
    const { jobs, rival } = await buildBusy();
    expect(await jobs.skip()).toBeUndefined();
    expect(await jobs.undecided()).toBeUndefined();
    expect(runs).toEqual([]);
    const waited = [jobs.patient(), jobs.undecided(60_000)];
    await apps.untilQueued(3);
    await rival.release();
    expect(await Promise.all(waited)).toEqual(['done', 'done']);
    expect(await jobs.skip()).toBe('done');
  });

  it('is counted as skipped, and told of in one debug line', async () => {
    const debug = vi.spyOn(Logger, 'debug').mockReturnValue();
    const { jobs, locks, rival } = await buildBusy();
    await jobs.skip();
    await jobs.sum(1, 2);
    await expect(jobs.insist()).rejects.toThrow(LockTimeoutError);
    expect(locks.counts).toEqual({ held: 0, waiting: 0, skipped: 2 });
    expect(debug.mock.calls).toEqual([
      ['Jobs.skip is skipped: the write lock "job" is busy.', '@Locked()'],
      ['Jobs.sum is skipped: the write lock "job" is busy.', '@Locked()'],
    ]);
    debug.mockRestore();
    await rival.release();
  });

  it('is answered by a function of its arguments, which may throw', async () => {
    const { jobs, rival } = await buildBusy();
    expect(await jobs.sum(5, 3)).toBe(2);
    await expect(jobs.refuse()).rejects.toThrow(CardDeclined);
    expect(runs).toEqual([]);
    await rival.release();
    expect(await jobs.sum(5, 3)).toBe(8);
    await jobs.refuse();
  });

  it('is one of several keys: it does not run either, and keeps none of them', async () => {
    const { jobs, rival, locks } = await buildBusy();
    await jobs.both();
    expect(runs).toEqual([]);
    await (await locks.acquire('other')).release();
    await rival.release();
    await jobs.both();
    expect(runs).toEqual(['both']);
  });

  it('completes as an Observable without a value, or with those of the answer', async () => {
    const { jobs, rival } = await buildBusy();
    const valuesOf = (stream: Observable<number>) => lastValueFrom(stream.pipe(toArray()));
    expect(await valuesOf(jobs.stream())).toEqual([]);
    expect(await valuesOf(jobs.otherStream(7))).toEqual([7, 7]);
    expect(await valuesOf(jobs.oneValue(7))).toEqual([7]);
    expect(runs).toEqual([]);
    await rival.release();
    expect(await valuesOf(jobs.stream())).toEqual([1, 2]);
  });
});

describe('what does not count as busy', () => {
  it('the timeout of another lock, into which the method itself ran', async () => {
    const { jobs, locks } = await build();
    await using _busy = await (await apps.replica()).acquire('job');
    await expect(jobs.calls(() => jobs.insist())).rejects.toThrow(LockTimeoutError);
    expect(locks.counts.skipped).toBe(0);
  });

  it('the loss of the lock while the method runs', async () => {
    const { jobs, locks } = await build();
    const call = expect(jobs.calls(() => gate.pass())).rejects.toThrow(LockLostError);
    await entered();
    await apps.deleteLockNodes('other');
    await waitFor(() => locks.counts.held === 0, { what: 'the loss to be noticed' });
    gate.open();
    await call;
  });

  it('arguments that give no key', async () => {
    const { jobs } = await build();
    await expect(jobs.named('')).rejects.toThrow(LockKeyError);
  });

  it('a service that is closed', async () => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Jobs] });
    await app.close();
    await expect(app.get(Jobs).skip()).rejects.toThrow(LockServiceClosedError);
  });
});

describe('a @WithPermit() method without a free permit', () => {
  it('is skipped, or answered by a function, and does not wait', async () => {
    const { jobs, locks } = await build();
    const other = await build();
    const sitting = other.jobs.sit();
    await entered();
    expect(await jobs.sit()).toBeUndefined();
    expect(await jobs.sitAs('Ann')).toBe('no seat for Ann');
    expect(runs).toEqual(['sit']);
    expect(locks.counts.skipped).toBe(2);
    gate.open();
    expect(await sitting).toBe('sat');
    expect(await jobs.sitAs('Ann')).toBe('Ann sat');
  });
});
