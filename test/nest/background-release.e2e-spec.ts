import { Injectable } from '@nestjs/common';
import { Locked, WithPermit, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
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

  @Locked('order:{0}')
  async book(_order: string, pack: () => Promise<void>): Promise<void> {
    await pack();
  }
}

async function open(extra?: Partial<ZkLockModuleOptions>) {
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const app = await apps.start({
    imports: [apps.zkLock({ servers: proxy.connectString, ...extra })],
    providers: [Warehouse],
  });
  const warehouse = app.get(Warehouse);
  const freeze = (): Promise<void> => proxy.freezeTowards('client');
  return { proxy, warehouse, freeze };
}

const noNodes = (): Promise<boolean> => apps.lockNodes().then((nodes) => nodes.length === 0);

it('lets a decorated method return before its release is answered', async () => {
  const { proxy, warehouse, freeze } = await open();
  for (const call of [() => warehouse.ship('7', freeze), () => warehouse.load(freeze)]) {
    await call();
    await waitFor(noNodes, { what: 'the node to be gone' });
    await proxy.thaw();
  }
});
