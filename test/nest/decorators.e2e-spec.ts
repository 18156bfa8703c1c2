import { Inject, Injectable, Logger, Scope, type Type } from '@nestjs/common';
import { LockKeyError, LockService } from 'nestjs-zk-lock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusedWithHolders } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { DECORATORS, WAITING } from './support/decorators.js';
import { useGate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

class CardDeclined extends Error {}

const gate = useGate();
let runs: unknown[];
beforeEach(() => (runs = []));
afterEach(() => {
  vi.restoreAllMocks();
});

async function start<T>(type: Type<T>) {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
  return { app, locks: app.get(LockService), service: app.get(type) };
}

/** Counts how many calls are inside at the same time. */
class Room {
  inside = 0;
  most = 0;

  async visit(): Promise<void> {
    this.most = Math.max(this.most, ++this.inside);
    await gate.pass();
    this.inside--;
  }
}

/** The results of six calls, three in each of two replicas. */
const SIX_CALLS = {
  '@Locked': { admits: 'one call at a time', inside: 1, waiting: 5, done: 6 },
  '@WithPermit': { admits: 'as many calls as it has permits', inside: 2, waiting: 4, done: 6 },
  '@OnlyLeader': { admits: 'the calls of the leader', inside: 3, waiting: 1, done: 3 },
};

describe.each(DECORATORS)('%s', (name, decorator) => {
  const { decorate, current, occupy, ready, busyCode, mode, nodesAtRest } = decorator;

  describe('on a provider', () => {
    const { admits, inside, waiting, done } = SIX_CALLS[decorator.name];

    @Injectable()
    class Singleton {
      constructor(@Inject(Room) private readonly room: Room) {}

      @decorate('room', { permits: 2 })
      async visit(): Promise<void> {
        await this.room.visit();
      }
    }

    @Injectable({ scope: Scope.REQUEST })
    class RequestScoped extends Singleton {}

    @Injectable({ scope: Scope.TRANSIENT })
    class Transient extends Singleton {}

    @Injectable()
    class Frozen extends Singleton {
      constructor(@Inject(Room) room: Room) {
        super(room);
        Object.freeze(this);
      }
    }

    @Injectable()
    class Overriding extends Singleton {
      override async visit(): Promise<void> {
        await super.visit();
      }
    }

    it.each([
      ['a singleton', Singleton],
      ['request-scoped', RequestScoped],
      ['transient', Transient],
      ['frozen', Frozen],
      ['overridden, and called by super', Overriding],
    ])(`lets in ${admits}, across all replicas, if it is %s`, async (_kind, type) => {
      const room = new Room();
      const providers = [type, { provide: Room, useValue: room }];
      const start = () => apps.start({ imports: [apps.zkLock()], providers });
      const replicas = [await start(), await start()];
      // Candidates have joined the election before the first call.
      await apps.untilQueued(2 * nodesAtRest);
      await Promise.race(replicas.map((app) => ready(app, 'room')));
      const visitors = await Promise.all(
        [...replicas, ...replicas, ...replicas].map((app) => app.resolve<Singleton>(type)),
      );
      const visits = Promise.allSettled(visitors.map((visitor) => visitor.visit()));
      const [one, other] = replicas.map((app) => app.get(LockService));
      await waitFor(() => room.inside === inside, { what: `${inside} calls to be inside` });
      await waitFor(() => one!.counts.waiting + other!.counts.waiting === waiting, {
        what: `${waiting} to wait`,
      });
      const shown = await one!.semaphore('room', { permits: 2 }).inspect();
      const { holders } = mode === 'permit' ? shown : await one!.inspect('room');
      expect(new Set(holders.map(({ holder }) => holder?.label))).toEqual(
        new Set(['Singleton.visit']),
      );
      gate.open();
      const ended = (await visits).filter(({ status }) => status === 'fulfilled');
      expect([ended.length, gate.arrivals, room.most]).toEqual([done, done, inside]);
    });
  });

  it('returns what the method returns, throws what it throws, and releases what it held each time', async () => {
    @Injectable()
    class Sums {
      private readonly base = 10;

      @decorate('sum', { timeoutMs: 5_000 })
      async add(a: number, b: number): Promise<number> {
        current().assertHeld();
        expect(await apps.lockNodes()).toHaveLength(1);
        if (a < 0) throw new RangeError('negative');
        return this.base + a + b;
      }
    }
    const { app, service } = await start(Sums);
    await ready(app, 'sum');
    await expect(service.add(1, 2)).resolves.toBe(13);
    expect(await apps.lockNodes()).toHaveLength(nodesAtRest);
    await expect(service.add(-1, 2)).rejects.toThrow(RangeError);
    expect(await apps.lockNodes()).toHaveLength(nodesAtRest);
  });

  it('answers a call as configured if it is busy, and says so in the debug log', async () => {
    const debug = vi.spyOn(Logger, 'debug').mockReturnValue();
    @Injectable()
    class Jobs {
      @decorate('job', { timeoutMs: 0 })
      async insist(): Promise<void> {
        runs.push('insist');
      }

      @decorate('job', { instead: 'skip' })
      async skip(): Promise<string | undefined> {
        runs.push('skip');
        return 'done';
      }

      @decorate('job', { instead: async (a: number, b: number) => Promise.resolve(a - b) })
      async sum(a: number, b: number): Promise<number> {
        runs.push('sum');
        return a + b;
      }

      @decorate('job', {
        instead: () => {
          throw new CardDeclined();
        },
      })
      async refuse(): Promise<void> {}
    }
    const inTheWay = await occupy(await apps.replica(), 'job');
    const { app, locks, service } = await start(Jobs);
    await expect(service.insist()).rejects.toMatchObject({ code: busyCode, key: 'job' });
    expect(await service.skip()).toBeUndefined();
    expect(await service.sum(5, 3)).toBe(2);
    await expect(service.refuse()).rejects.toThrow(CardDeclined);
    expect(runs).toEqual([]);
    const reason = {
      '@Locked': 'the write lock "job" is busy',
      '@WithPermit': 'the semaphore "job" is busy',
      '@OnlyLeader': 'this process does not lead "job"',
    }[decorator.name];
    expect(debug.mock.calls).toEqual(
      ['skip', 'sum', 'refuse'].map((method) => [
        `Jobs.${method} is skipped: ${reason}.`,
        `${name}()`,
      ]),
    );
    // The counts cover locks and permits.
    if (decorator.name !== '@OnlyLeader') {
      expect(locks.counts).toEqual({ held: 0, waiting: 0, skipped: 3 });
    }
    await inTheWay[Symbol.asyncDispose]();
    await ready(app, 'job');
    await service.insist();
    expect(await service.skip()).toBe('done');
    expect(await service.sum(5, 3)).toBe(8);
    await service.refuse();
  });

  it('rejects because of a loss only after the method has settled, even if it skips busy calls', async () => {
    let held!: ReturnType<typeof current>;
    @Injectable()
    class Jobs {
      @decorate('job', { instead: 'skip' })
      async run(): Promise<string> {
        held = current();
        await gate.pass();
        return 'done';
      }
    }
    const { app, service } = await start(Jobs);
    await ready(app, 'job');
    let isSettled = false;
    const run = service.run().finally(() => (isSettled = true));
    const refused = expect(run).rejects.toMatchObject({
      code: 'LOCK_LOST',
      mode,
      reason: 'node-deleted',
    });
    await waitFor(() => gate.arrivals === 1, { what: 'the method to run' });
    await apps.deleteLockNodes('job');
    await waitFor(() => held.signal.aborted, { what: 'the loss' });
    expect([held.isHeld, isSettled]).toEqual([false, false]);
    expect(() => {
      held.assertHeld();
    }).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    gate.open();
    await refused;
  });
});

describe.each(WAITING)('%s', (_name, { decorate, occupy, mode }) => {
  it('neither runs nor requests a lock if the arguments give no key, even if it skips busy calls', async () => {
    @Injectable()
    class Orders {
      @decorate('order:{0.id}')
      async ship(_order: { id?: number }): Promise<void> {
        runs.push('ship');
      }

      @decorate((id: string) => id, { instead: 'skip' })
      async book(_id: string): Promise<void> {
        runs.push('book');
      }
    }
    const { service } = await start(Orders);
    await expect(service.ship({})).rejects.toThrow(LockKeyError);
    await expect(service.ship({})).rejects.toMatchObject({
      code: 'LOCK_KEY_INVALID',
      message: expect.stringMatching(/^Orders\.ship did not run.*'\{0\.id\}'/) as string,
    });
    await expect(service.book('')).rejects.toThrow(LockKeyError);
    expect(runs).toEqual([]);
    expect(await apps.hasRoot()).toBe(false);
  });

  it('waits no longer than its option or a function of its arguments says, and not at all if it skips busy calls', async () => {
    @Injectable()
    class Jobs {
      @decorate('job', { timeoutMs: 1_000 })
      async fixed(): Promise<void> {}

      @decorate('job', { timeoutMs: (ms?: number) => ms })
      async given(_ms?: number): Promise<string> {
        return 'done';
      }

      @decorate('job', { instead: 'skip', timeoutMs: (ms?: number) => ms })
      async skip(_ms?: number): Promise<string | undefined> {
        return 'done';
      }

      @decorate('job', { instead: 'skip', timeoutMs: 60_000 })
      async patient(): Promise<string | undefined> {
        return 'done';
      }
    }
    const inTheWay = await occupy(await apps.replica(), 'job');
    const { locks, service } = await start(Jobs);
    const timeout = { code: 'LOCK_TIMEOUT', key: 'job', mode };
    const refused = await refusedWithHolders(() => service.fixed());
    expect(refused).toMatchObject({ ...timeout, timeoutMs: 1_000 });
    await expect(service.given(0)).rejects.toMatchObject({ ...timeout, timeoutMs: 0 });
    await expect(service.given(-1)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    expect(await service.skip()).toBeUndefined();
    const waited = [service.given(), service.skip(60_000), service.patient()];
    await waitFor(() => locks.counts.waiting === 3, { what: 'three to wait' });
    await inTheWay[Symbol.asyncDispose]();
    expect(await Promise.all(waited)).toEqual(['done', 'done', 'done']);
  });
});
