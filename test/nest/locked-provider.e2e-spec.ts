import { Injectable, type Type } from '@nestjs/common';
import { LockService, LockTimeoutError, Locked, currentLock } from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

async function build<T>(type: Type<T>): Promise<T> {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
  return app.resolve(type);
}

describe('@Locked: a method of a provider', () => {
  it('accepts a timeout and a mode after its key, with the same meaning as in an options object', async () => {
    @Injectable()
    class Orders {
      @Locked('order:{0}', 0, 'read')
      async look(_id: string, between?: () => Promise<void>): Promise<string> {
        await between?.();
        return currentLock().mode;
      }

      @Locked((id: string) => `order:${id}`, 0)
      async ship(_id: string): Promise<string> {
        return Promise.resolve(currentLock().mode);
      }

      @Locked(['order:{0}', 'stock'], (_id: string, ms?: number) => ms, 'write')
      async pack(_id: string, _ms?: number): Promise<string> {
        return Promise.resolve(currentLock().mode);
      }

      @Locked('order:{0}', undefined, 'read')
      async lookLater(_id: string): Promise<string> {
        return Promise.resolve(currentLock().mode);
      }
    }
    const [orders, other] = [await build(Orders), await build(Orders)];
    await orders.look('7', async () => {
      expect(await other.look('7')).toBe('read');
      expect(await other.lookLater('7')).toBe('read');
      await expect(other.ship('7')).rejects.toThrow(LockTimeoutError);
      await expect(other.pack('7', 1_000)).rejects.toThrow(LockTimeoutError);
    });
    expect([await other.ship('7'), await other.pack('7')]).toEqual(['write', 'write']);
  });
});

describe('a @Locked() method with several keys', () => {
  @Injectable()
  class Bank {
    constructor(private readonly locks: LockService) {}

    @Locked(['account:{0}', 'account:{1}'], { timeoutMs: 5_000 })
    async transfer(_from: string, _to: string, between: () => Promise<void>): Promise<string> {
      await between();
      return currentLock().key;
    }

    @Locked((...ids: string[]) => ids.map((id) => `account:${id}`), { timeoutMs: 0 })
    async close(...ids: string[]): Promise<number> {
      return ids.filter((id) => this.locks.currentLock(`account:${id}`).isHeld).length;
    }
  }

  it('holds all of them while it runs, and its current lock is that of the first', async () => {
    const [bank, other] = [await build(Bank), await build(Bank)];
    const key = await bank.transfer('z', 'a', async () => {
      // Nested calls join. For calls from elsewhere, each of the keys is taken.
      for (const id of ['a', 'z']) {
        expect(await bank.close(id)).toBe(1);
        await expect(other.close('c', id)).rejects.toThrow(LockTimeoutError);
      }
    });
    expect(key).toBe('account:z');
    expect(await bank.transfer('a', 'z', async () => {})).toBe('account:a');
    expect(await bank.close('a', 'z')).toBe(2);
  });
});
