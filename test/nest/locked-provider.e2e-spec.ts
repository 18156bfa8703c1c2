import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit, Scope, type Type } from '@nestjs/common';
import { Locked, LockUpgradeError, NoCurrentLockError, currentLock } from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** Notices when two calls are inside at once. */
class Room {
  inside = 0;
  visits = 0;

  async visit(): Promise<void> {
    this.visits++;
    if (++this.inside > 1) throw new Error('the room is taken');
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    this.inside--;
  }
}

@Injectable()
class Singleton {
  constructor(@Inject(Room) private readonly room: Room) {}

  @Locked('room')
  async visit(): Promise<void> {
    await this.room.visit();
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestScoped extends Singleton {}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Singleton {}

@Injectable()
class Overriding extends Singleton {
  @Locked('room')
  override async visit(): Promise<void> {
    await super.visit();
  }
}

describe('a @Locked() method of a provider', () => {
  async function build<T>(type: Type<T>): Promise<T> {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
    return app.resolve(type);
  }

  it.each([
    ['a singleton', Singleton],
    ['request-scoped', RequestScoped],
    ['transient', Transient],
    ['an override that calls super', Overriding],
  ])(
    'lets one call in at a time, over all instances and replicas, when it is %s',
    async (_kind, type) => {
      const room = new Room();
      const providers = [type, { provide: Room, useValue: room }];
      const replicas = await Promise.all(
        [1, 2].map(() => apps.start({ imports: [apps.zkLock()], providers })),
      );
      const instances = await Promise.all(
        [...replicas, ...replicas].map((app) => app.resolve<Singleton>(type)),
      );
      await Promise.all([...instances, ...instances].map((instance) => instance.visit()));
      expect(room.visits).toBe(8);
    },
  );

  it('takes one lock for an override and the method it overrides', async () => {
    const tokens: bigint[] = [];
    class Base {
      @Locked('document:{0}')
      async save(_id: number): Promise<void> {
        tokens.push(currentLock().fencingToken);
        expect(await apps.lockNodes()).toHaveLength(1);
      }
    }
    @Injectable()
    class Derived extends Base {
      @Locked('document:{0}')
      override async save(id: number): Promise<void> {
        tokens.push(currentLock().fencingToken);
        await super.save(id);
      }
    }
    await (await build(Derived)).save(7);
    expect(tokens).toHaveLength(2);
    expect(tokens[0]).toBe(tokens[1]);
  });

  it('returns what the method returns, throws what it throws, and lets go of the lock each time', async () => {
    @Injectable()
    class Sums {
      private readonly base = 10;

      @Locked('sum:{0}')
      async add(a: number, b: number): Promise<number> {
        if (a < 0) throw new RangeError('negative');
        return this.base + a + b;
      }
    }
    const sums = await build(Sums);
    await expect(sums.add(1, 2)).resolves.toBe(13);
    await expect(sums.add(-1, 2)).rejects.toThrow(RangeError);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('names its lock by a text, a template or a function of the arguments', async () => {
    const keys: string[] = [];
    @Injectable()
    class Orders {
      @Locked('orders')
      async all(): Promise<void> {
        keys.push(currentLock().key);
      }

      @Locked('order:{0.id}/{1}')
      async line(_order: { id: number }, _line: string): Promise<void> {
        keys.push(currentLock().key);
      }

      @Locked((order: { id: number }) => `order:${order.id}`)
      async ship(_order: { id: number }): Promise<void> {
        keys.push(currentLock().key);
      }
    }
    const orders = await build(Orders);
    await orders.all();
    await orders.line({ id: 7 }, 'a');
    await orders.line({ id: 7 }, '${id}{0}');
    await orders.ship({ id: 7 });
    expect(keys).toEqual(['orders', 'order:7/a', 'order:7/${id}{0}', 'order:7']);
  });

  it('does not run, and takes no lock, when the arguments give no key', async () => {
    let runs = 0;
    @Injectable()
    class Orders {
      @Locked('order:{0.id}')
      async ship(_order: { id?: number }): Promise<void> {
        runs++;
      }
    }
    const orders = await build(Orders);
    await expect(orders.ship({})).rejects.toMatchObject({
      code: 'LOCK_KEY_INVALID',
      message: expect.stringContaining("'{0.id}'") as string,
    });
    expect(runs).toBe(0);
  });

  it('keeps other keys out of each other’s way', async () => {
    const gate = new Gate();
    @Injectable()
    class Orders {
      @Locked('order:{0}')
      async ship(_id: number): Promise<void> {
        await gate.pass();
      }
    }
    const orders = await build(Orders);
    const shipped = [1, 2, 3].map((id) => orders.ship(id));
    await waitFor(() => gate.arrivals === 3, { what: 'all three to be inside' });
    gate.open();
    await Promise.all(shipped);
  });

  it('lets readers in together, and a writer only after them', async () => {
    const order: string[] = [];
    const gate = new Gate();
    @Injectable()
    class Catalogue {
      @Locked('catalogue', { mode: 'read' })
      async read(): Promise<void> {
        await gate.pass();
        order.push('read');
      }

      @Locked('catalogue')
      async write(): Promise<void> {
        order.push('write');
      }
    }
    const catalogue = await build(Catalogue);
    const reads = [catalogue.read(), catalogue.read()];
    await waitFor(() => gate.arrivals === 2, { what: 'both readers to be inside' });
    const write = catalogue.write();
    await apps.untilQueued(3);
    gate.open();
    await Promise.all([...reads, write]);
    expect(order).toEqual(['read', 'read', 'write']);
  });

  it('joins the lock of the method that calls it', async () => {
    @Injectable()
    class Orders {
      @Locked('order:{0}')
      async ship(id: number): Promise<bigint[]> {
        return [currentLock().fencingToken, await this.book(id), await this.look(id)];
      }

      @Locked('order:{0}')
      async book(_id: number): Promise<bigint> {
        return currentLock().fencingToken;
      }

      @Locked('order:{0}', { mode: 'read' })
      async look(_id: number): Promise<bigint> {
        return currentLock().fencingToken;
      }

      @Locked('order:{0}', { mode: 'read' })
      async upgrade(id: number): Promise<bigint> {
        return this.book(id);
      }
    }
    const orders = await build(Orders);
    expect(new Set(await orders.ship(7)).size).toBe(1);
    await expect(orders.upgrade(7)).rejects.toThrow(LockUpgradeError);
  });

  it('runs after the method that starts it, with `reentrant: false`', async () => {
    const order: string[] = [];
    @Injectable()
    class Orders {
      left: Promise<void> | undefined;

      @Locked('order:{0}')
      async ship(id: number): Promise<void> {
        this.left = this.tidy(id);
        await apps.untilQueued(2);
        order.push('shipped');
      }

      @Locked('order:{0}', { reentrant: false })
      async tidy(_id: number): Promise<void> {
        order.push('tidied');
      }
    }
    const orders = await build(Orders);
    await orders.ship(7);
    await orders.left;
    expect(order).toEqual(['shipped', 'tidied']);
  });

  it('takes two locks, the outer one first, when it is decorated twice', async () => {
    @Injectable()
    class Orders {
      @Locked('warehouse', { mode: 'read' })
      @Locked('order:{0}')
      async ship(_id: number): Promise<string[]> {
        expect(currentLock().key).toBe('order:7');
        return apps.lockNodes();
      }
    }
    const nodes = await (await build(Orders)).ship(7);
    expect(nodes.map((node) => node.split('/')[0])).toEqual(['order:7', 'warehouse']);
  });

  it('waits no longer than its option says, or a function of its arguments', async () => {
    @Injectable()
    class Orders {
      @Locked('order', { timeoutMs: 1_000 })
      async fixed(): Promise<void> {}

      @Locked('order', { timeoutMs: (ms?: number) => ms })
      async given(_ms?: number): Promise<void> {}
    }
    const orders = await build(Orders);
    const other = await apps.replica();
    await using lock = await other.acquire('order');
    await expect(orders.fixed()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', timeoutMs: 1_000 });
    await expect(orders.given(0)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', timeoutMs: 0 });
    await expect(orders.given(-1)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    const waiting = orders.given();
    await apps.untilQueued(2);
    await lock.release();
    await waiting;
  });

  it('may be a lifecycle hook, so that replicas that start together do it one after the other', async () => {
    const room = new Room();
    @Injectable()
    class Migrations implements OnModuleInit {
      @Locked('migrations')
      async onModuleInit(): Promise<void> {
        await room.visit();
      }
    }
    await Promise.all([1, 2, 3].map(() => build(Migrations)));
    expect(room.visits).toBe(3);
  });

  it('knows its lock inside, and not outside nor in work it left behind', async () => {
    const gate = new Gate();
    let left: Promise<unknown> = Promise.resolve();
    @Injectable()
    class Orders {
      @Locked('order')
      async ship(): Promise<boolean> {
        left = gate.pass().then(() => currentLock());
        left.catch(() => undefined);
        currentLock().assertHeld();
        return currentLock().isHeld;
      }
    }
    const orders = await build(Orders);
    expect(await orders.ship()).toBe(true);
    gate.open();
    await expect(left).rejects.toThrow(NoCurrentLockError);
    expect(() => currentLock()).toThrow(NoCurrentLockError);
  });
});
