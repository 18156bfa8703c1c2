import { Injectable } from '@nestjs/common';
import { Locked, WithPermit } from 'nestjs-zk-lock';
import { it } from 'vitest';
import { openProxy } from '../support/open-proxy.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();
const background = { release: 'background' } as const;

@Injectable()
class Warehouse {
  @Locked('order:{0}', background)
  async ship(_order: string, pack: () => Promise<void>): Promise<void> {
    await pack();
  }

  @WithPermit('dock', { permits: 2, ...background })
  async load(pack: () => Promise<void>): Promise<void> {
    await pack();
  }
}

it('lets a decorated method return before its release is answered', async () => {
  const proxy = await openProxy();
  const zkLock = apps.zkLock({ servers: proxy.connectString });
  const app = await apps.start({ imports: [zkLock], providers: [Warehouse] });
  const warehouse = app.get(Warehouse);
  const freeze = (): Promise<void> => proxy.freezeTowards('client');
  for (const call of [() => warehouse.ship('7', freeze), () => warehouse.load(freeze)]) {
    await call();
    await apps.untilQueued(0);
    await proxy.thaw();
  }
});
