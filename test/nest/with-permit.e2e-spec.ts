import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  LockKeyError,
  LockService,
  LockServiceClosedError,
  LockTimeoutError,
  Locked,
  LockedDecoratorError,
  LockedSetupError,
  NoCurrentLockError,
  NoCurrentPermitError,
  type Permit,
  WithPermit,
  currentLock,
  currentPermit,
} from 'nestjs-zk-lock';
import { Observable, Subject, lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let gate: Gate;
let runs: string[];
beforeEach(() => {
  gate = new Gate();
  runs = [];
});
afterEach(() => {
  gate.open();
});

async function build<T>(type: Type<T>): Promise<T> {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
  return app.resolve(type);
}

/** The semaphore of the key, as another application sees it. */
const semaphoreElsewhere = async (key = 'gpu', permits = 2) =>
  (await apps.replica()).semaphore(key, { permits });

async function arrivals(count: number): Promise<void> {
  await waitFor(() => gate.arrivals === count, { what: `${count} calls to be inside` });
}

describe('a @WithPermit() method of a provider', () => {
  /** Notices how many are inside at once. */
  class Room {
    inside = 0;
    most = 0;

    async visit(): Promise<void> {
      this.most = Math.max(this.most, ++this.inside);
      await gate.pass();
      this.inside--;
    }
  }

  @Injectable()
  class Farm {
    constructor(@Inject(Room) private readonly room: Room) {}

    @WithPermit('gpu', { permits: 2 })
    async render(): Promise<void> {
      await this.room.visit();
    }
  }

  @Injectable({ scope: Scope.REQUEST })
  class RequestScoped extends Farm {}

  @Injectable({ scope: Scope.TRANSIENT })
  class Transient extends Farm {}

  it.each([
    ['a singleton', Farm],
    ['request-scoped', RequestScoped],
    ['transient', Transient],
  ])('lets so many calls in at a time, over all replicas, when it is %s', async (_kind, type) => {
    const room = new Room();
    const providers = [type, { provide: Room, useValue: room }];
    const replicas = await Promise.all(
      [1, 2].map(() => apps.start({ imports: [apps.zkLock()], providers })),
    );
    const farms = await Promise.all(
      [...replicas, ...replicas, ...replicas].map((app) => app.resolve<Farm>(type)),
    );
    const rendered = farms.map((farm) => farm.render());
    const gpus = await semaphoreElsewhere();
    await waitFor(async () => (await gpus.inspect()).waiters.length === 4, { what: 'the waiters' });
    await arrivals(2);
    expect((await gpus.inspect()).holders.map(({ holder }) => holder?.label)).toEqual([
      'Farm.render',
      'Farm.render',
    ]);
    gate.open();
    await Promise.all(rendered);
    expect([gate.arrivals, room.most]).toEqual([6, 2]);
  });

  it('returns what the method returns, throws what it throws, and gives its permit back each time', async () => {
    @Injectable()
    class Sums {
      private readonly base = 10;

      @WithPermit('sum:{0}', { permits: 1, timeoutMs: 5_000 })
      async add(a: number, b: number): Promise<number> {
        expect(await apps.lockNodes()).toHaveLength(1);
        if (a < 0) throw new RangeError('negative');
        return this.base + a + b;
      }
    }
    const sums = await build(Sums);
    await expect(sums.add(1, 2)).resolves.toBe(13);
    expect(await apps.lockNodes()).toEqual([]);
    await expect(sums.add(-1, 2)).rejects.toThrow(RangeError);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('names its semaphore, and how many it takes, by its arguments', async () => {
    const taken: unknown[] = [];
    const note = ({ key, permits }: Permit): void => void taken.push([key, permits]);
    @Injectable()
    class Disks {
      @WithPermit('disk:{0.id}', { permits: 4, take: 3 })
      async copy(_disk: { id: number | string }): Promise<void> {
        note(currentPermit());
        expect(await apps.lockNodes()).toHaveLength(3);
      }

      @WithPermit((id: number) => `disk:${id}`, {
        permits: 4,
        take: (_id: number, permits?: number) => permits,
      })
      async move(_id: number, _permits?: number): Promise<void> {
        note(currentPermit());
      }
    }
    const disks = await build(Disks);
    await disks.copy({ id: 7 });
    await disks.move(8, 2);
    await disks.move(9);
    await disks.copy({ id: '${id}{0}' });
    expect(taken).toEqual([
      ['disk:7', 3],
      ['disk:8', 2],
      ['disk:9', 1],
      ['disk:${id}{0}', 3],
    ]);
    await expect(disks.move(8, 5)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      option: 'take',
    });
    expect(taken).toHaveLength(4);
  });

  it('does not run, and takes no permit, when the arguments give no key, or several', async () => {
    @Injectable()
    class Disks {
      @WithPermit('disk:{0.id}', { permits: 1 })
      async copy(_disk: { id?: number }): Promise<void> {
        runs.push('copy');
      }

      @WithPermit((id: string) => [id] as unknown as string, { permits: 1 })
      async move(_id: string): Promise<void> {
        runs.push('move');
      }
    }
    const disks = await build(Disks);
    await expect(disks.copy({})).rejects.toThrow(LockKeyError);
    await expect(disks.copy({})).rejects.toThrow(/Disks\.copy did not run.*'\{0\.id\}'/);
    await expect(disks.move('a')).rejects.toThrow('The key function returned an array');
    expect(runs).toEqual([]);
    expect(await apps.hasRoot()).toBe(false);
  });

  it('waits no longer than its option says, or a function of its arguments', async () => {
    @Injectable()
    class Impatient {
      @WithPermit('gpu', { permits: 2, timeoutMs: 1_000 })
      async fixed(): Promise<void> {}

      @WithPermit('gpu', { permits: 2, timeoutMs: (ms?: number) => ms })
      async given(_ms?: number): Promise<void> {}
    }
    const impatient = await build(Impatient);
    const gpus = await semaphoreElsewhere();
    await using both = await gpus.acquire({ permits: 2 });
    const refused = impatient.fixed();
    await expect(refused).rejects.toThrow(LockTimeoutError);
    await expect(refused).rejects.toMatchObject({ key: 'gpu', mode: 'permit', timeoutMs: 1_000 });
    await expect(impatient.given(0)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', timeoutMs: 0 });
    const waiting = impatient.given();
    await waitFor(async () => (await gpus.inspect()).waiters.length === 1, { what: 'the waiter' });
    await both.release();
    await waiting;
  });

  it('takes a permit of its own in each call, also inside one that holds the last', async () => {
    @Injectable()
    class Nested {
      @WithPermit('gpu', { permits: 1 })
      async outer(): Promise<void> {
        await this.inner();
      }

      @WithPermit('gpu', { permits: 1, timeoutMs: 1_000 })
      async inner(): Promise<void> {}
    }
    const nested = await build(Nested);
    await expect(nested.outer()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', key: 'gpu' });
    await nested.inner();
  });

  it('rejects after the method has settled when its permit was lost meanwhile', async () => {
    @Injectable()
    class Losing {
      @WithPermit('gpu', { permits: 2, take: 2 })
      async render(): Promise<string> {
        const permit = currentPermit();
        await gate.pass();
        await waitFor(() => permit.signal.aborted, { what: 'the permit to say so' });
        runs.push(String(permit.isHeld));
        expect(() => {
          permit.assertHeld();
        }).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
        return 'rendered';
      }
    }
    const rendered = (await build(Losing)).render();
    await arrivals(1);
    await apps.deleteLockNodes('gpu');
    gate.open();
    await expect(rendered).rejects.toMatchObject({
      code: 'LOCK_LOST',
      mode: 'permit',
      reason: 'node-deleted',
    });
    expect(runs).toEqual(['false']);
  });

  it('follows a shared count that is changed at run time', async () => {
    const permits = { sharedCount: `${apps.root}/count`, seed: 1 };
    @Injectable()
    class Mail {
      @WithPermit('mail', { permits })
      async send(): Promise<void> {
        await gate.pass();
      }
    }
    const root = `${apps.root}/locks`;
    const app = await apps.start({ imports: [apps.zkLock({ root })], providers: [Mail] });
    const mail = app.get(Mail);
    const sent = [mail.send(), mail.send(), mail.send()];
    const semaphore = (await apps.replica({ root })).semaphore('mail', { permits });
    const seen = async (holders: number, waiters: number): Promise<void> => {
      await arrivals(holders);
      await waitFor(async () => (await semaphore.inspect()).waiters.length === waiters, {
        what: `${waiters} waiters`,
      });
    };
    await seen(1, 2);
    await semaphore.setPermits(2);
    await seen(2, 1);
    await semaphore.setPermits(3);
    await seen(3, 0);
    gate.open();
    await Promise.all(sent);
  });

  it('ends its wait when the application shuts down', async () => {
    @Injectable()
    class Waiting {
      @WithPermit('gpu', { permits: 2 })
      async render(): Promise<void> {
        runs.push('render');
      }
    }
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Waiting] });
    const gpus = await semaphoreElsewhere();
    await using _both = await gpus.acquire({ permits: 2 });
    const refused = expect(app.get(Waiting).render()).rejects.toThrow(LockServiceClosedError);
    await waitFor(async () => (await gpus.inspect()).waiters.length === 1, { what: 'the waiter' });
    await app.close();
    await refused;
    expect(runs).toEqual([]);
  });

  it.each<[string, RegExp, boolean]>([
    [
      'there is no ZkLockModule',
      /Remote\.render cannot run: it is @WithPermit\(\), and the application has no LockService named "archive"/,
      false,
    ],
    ['there is none of its connection', /no LockService named "archive"\. Import/, true],
  ])('does not run when %s', async (_situation, message, hasModule) => {
    @Injectable()
    class Remote {
      @WithPermit('gpu', { permits: 2, connection: 'archive' })
      async render(): Promise<void> {
        runs.push('render');
      }
    }
    const imports = hasModule ? [apps.zkLock()] : [];
    const called = apps
      .start({ imports, providers: [Remote] })
      .then((app) => app.get(Remote).render());
    await expect(called).rejects.toThrow(LockedSetupError);
    await expect(called).rejects.toThrow(message);
    expect(runs).toEqual([]);
  });

  it('uses the connection it names', async () => {
    @Injectable()
    class Remote {
      @WithPermit('gpu', { permits: 2, connection: 'archive' })
      async render(): Promise<string[]> {
        return apps.lockNodes();
      }
    }
    const app = await apps.start({
      imports: [
        apps.zkLock({ root: `${apps.root}/main` }),
        apps.zkLock({ root: `${apps.root}/archive`, name: 'archive' }),
      ],
      providers: [Remote],
    });
    expect(await app.get(Remote).render()).toEqual([expect.stringMatching(/^archive\/gpu\//)]);
  });
});

describe('currentPermit()', () => {
  @Injectable()
  class Farm {
    left: Promise<unknown> = Promise.resolve();

    @WithPermit('outer', { permits: 1 })
    async outer(): Promise<string[]> {
      const before = currentPermit();
      const inner = await this.inner();
      expect(currentPermit()).toBe(before);
      return [before.key, inner];
    }

    @WithPermit('inner', { permits: 1 })
    async inner(): Promise<string> {
      currentPermit().assertHeld();
      expect(currentPermit().isHeld).toBe(true);
      return currentPermit().key;
    }

    @WithPermit('gpu', { permits: 1 })
    async lockless(): Promise<void> {
      currentLock();
    }

    @Locked('film')
    async permitless(): Promise<void> {
      currentPermit();
    }

    @WithPermit('gpu', { permits: 1 })
    async leave(): Promise<void> {
      this.left = gate.pass().then(() => currentPermit());
      this.left.catch(() => undefined);
    }
  }

  it('is the innermost one, of a method or of a semaphore', async () => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Farm] });
    const farm = app.get(Farm);
    expect(await farm.outer()).toEqual(['outer', 'inner']);
    await app
      .get(LockService)
      .semaphore('gpu', { permits: 1 })
      .withPermit(async (permit) => {
        expect(currentPermit()).toBe(permit);
        expect(await farm.inner()).toBe('inner');
        expect(currentPermit()).toBe(permit);
      });
  });

  it('is no lock, and a lock is no permit', async () => {
    const farm = await build(Farm);
    await expect(farm.lockless()).rejects.toThrow(NoCurrentLockError);
    await expect(farm.permitless()).rejects.toThrow(NoCurrentPermitError);
  });

  it('is not there outside, nor in work that was left behind', async () => {
    const farm = await build(Farm);
    expect(() => currentPermit()).toThrow(NoCurrentPermitError);
    await farm.leave();
    gate.open();
    await expect(farm.left).rejects.toThrow(NoCurrentPermitError);
  });
});

describe('@Locked() and @WithPermit() on one method', () => {
  @Injectable()
  class Farm {
    @Locked('film')
    @WithPermit('gpu', { permits: 1 })
    async lockFirst(): Promise<string[]> {
      return this.render();
    }

    @WithPermit('gpu', { permits: 1 })
    @Locked('film')
    async permitFirst(): Promise<string[]> {
      return this.render();
    }

    private async render(): Promise<string[]> {
      currentLock().assertHeld();
      currentPermit().assertHeld();
      return [currentLock().key, currentPermit().key, String((await apps.lockNodes()).length)];
    }
  }

  it.each(['lockFirst', 'permitFirst'] as const)('hold both: %s', async (method) => {
    expect(await (await build(Farm))[method]()).toEqual(['film', 'gpu', '2']);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('wait for the upper one first', async () => {
    const farm = await build(Farm);
    const other = await apps.replica();
    const gpus = other.semaphore('gpu', { permits: 1 });
    await using film = await other.acquire('film');
    const lockFirst = farm.lockFirst();
    await apps.untilQueued(2);
    expect((await gpus.inspect()).total).toBe(0);
    await film.release();
    await lockFirst;

    await using gpu = await gpus.acquire();
    const permitFirst = farm.permitFirst();
    await waitFor(async () => (await gpus.inspect()).waiters.length === 1, { what: 'the waiter' });
    expect((await other.inspect('film')).holders).toEqual([]);
    await gpu.release();
    await permitFirst;
  });
});

describe('a @WithPermit() method that returns an Observable', () => {
  let source: Subject<string>;
  beforeEach(() => (source = new Subject()));

  @Injectable()
  class Feeds {
    @WithPermit('feed', { permits: 2 })
    feed(): Observable<string> {
      runs.push(currentPermit().key);
      return source;
    }

    @WithPermit('feed', { permits: 2 })
    async hidden(): Promise<Observable<string>> {
      return Promise.resolve(of('never seen'));
    }
  }

  it('takes its permit when it is subscribed, and holds it until it completes', async () => {
    const feed = (await build(Feeds)).feed();
    expect(await apps.hasRoot()).toBe(false);
    const ended: unknown[][] = [];
    const feeds = [1, 2, 3].map(async () => {
      ended.push(await lastValueFrom(feed.pipe(toArray())));
    });
    const semaphore = await semaphoreElsewhere('feed');
    await waitFor(async () => (await semaphore.inspect()).total === 3, { what: 'all to queue up' });
    await waitFor(() => runs.length === 2, { what: 'two to be subscribed' });
    source.next('value');
    const shared = source;
    source = new Subject();
    shared.complete();
    await waitFor(() => source.observed, { what: 'the third to be subscribed' });
    expect(ended).toEqual([['value'], ['value']]);
    await waitFor(async () => (await semaphore.inspect()).holders.length === 1, {
      what: 'the others to be gone',
    });
    source.complete();
    await Promise.all(feeds);
    expect(ended).toEqual([['value'], ['value'], []]);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('stops at once when its permit is lost', async () => {
    const values = lastValueFrom((await build(Feeds)).feed());
    await waitFor(() => source.observed, { what: 'the source to be subscribed' });
    const ended = expect(values).rejects.toMatchObject({ code: 'LOCK_LOST', mode: 'permit' });
    await apps.deleteLockNodes('feed');
    await ended;
    expect(source.observed).toBe(false);
  });

  it('does not let one out of a promise, which nobody may ever subscribe', async () => {
    const hidden = (await build(Feeds)).hidden();
    await expect(hidden).rejects.toThrow(LockedDecoratorError);
    await expect(hidden).rejects.toThrow('@WithPermit() on Feeds.hidden');
    expect(await apps.lockNodes()).toEqual([]);
  });
});

describe('a @WithPermit() @Cron() job', () => {
  @Injectable()
  class Jobs {
    @WithPermit('jobs', { permits: 1 })
    @Cron('0 0 1 1 *', { name: 'above' })
    async above(): Promise<void> {
      await gate.pass();
    }

    @Cron('0 0 1 1 *', { name: 'below' })
    @WithPermit('jobs', { permits: 1 })
    async below(): Promise<void> {
      await gate.pass();
    }
  }

  it.each(['above', 'below'])('waits its turn, with @WithPermit() %s @Cron()', async (name) => {
    const imports = [ScheduleModule.forRoot(), apps.zkLock()];
    const replicas = await Promise.all(
      [1, 2].map(() => apps.start({ imports, providers: [Jobs] })),
    );
    for (const app of replicas) void app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
    const jobs = await semaphoreElsewhere('jobs', 1);
    await waitFor(async () => (await jobs.inspect()).waiters.length === 1, { what: 'the waiter' });
    await arrivals(1);
    gate.open();
    await arrivals(2);
    await apps.untilQueued(0);
  });
});
