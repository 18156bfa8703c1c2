import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { Locked, LockUpgradeError, currentLock } from 'nestjs-zk-lock';
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

describe('@Locked: a method of a provider', () => {
  async function build<T>(type: Type<T>): Promise<T> {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
    return app.resolve(type);
  }

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

  it('takes none of several locks, and does not run, where one of them is busy', async () => {
    let runs = 0;
    @Injectable()
    class Orders {
      @Locked(['free', 'taken'], { onBusy: 'skip' })
      async ship(): Promise<void> {
        runs++;
      }
    }
    const orders = await build(Orders);
    const other = await apps.replica();
    await using taken = await other.acquire('taken');
    await orders.ship();
    expect(runs).toBe(0);
    await (await other.acquire('free')).release();
    await taken.release();
    await orders.ship();
    expect(runs).toBe(1);
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
});
