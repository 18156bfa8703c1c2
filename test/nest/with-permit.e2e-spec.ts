import { Injectable, type Type } from '@nestjs/common';
import {
  LockService,
  Locked,
  NoCurrentLockError,
  NoCurrentPermitError,
  type Permit,
  WithPermit,
  currentLock,
  currentPermit,
} from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

async function build<T>(type: Type<T>): Promise<T> {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
  return app.resolve(type);
}

describe('@WithPermit: a method of a provider', () => {
  it('derives its semaphore, and the number of permits it takes, from its arguments', async () => {
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
});

describe('currentPermit()', () => {
  @Injectable()
  class Farm {
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
  }

  it('is the innermost one, whether of a method or of a semaphore', async () => {
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
});

describe('@Locked and @WithPermit on one method', () => {
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
});
