import type { INestApplication, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { type ClientProxy, ClientProxyFactory, Transport } from '@nestjs/microservices';
import { ClsService } from 'nestjs-cls';
import { currentLock } from 'nestjs-zk-lock';
import { Subject } from 'rxjs';
import { onTestFinished, vi } from 'vitest';
import { addTransports } from '../../../apps/warehouse/src/add-transports.js';
import { Forklift } from '../../../apps/warehouse/src/forklift.js';
import { WarehouseModule } from '../../../apps/warehouse/src/warehouse.module.js';
import { Gate } from '../../nest/support/gate.js';
import type { TestApps } from '../../nest/support/test-apps.js';
import { waitFor } from '../../support/wait-for.js';

/** The key of the one article that the tests pick. */
export const KEY = 'stock:bolts';

/** `apps/warehouse` with all its transports, and a forklift that waits at the gate. */
export interface Warehouse {
  readonly app: INestApplication;
  readonly url: string;
  readonly gate: Gate;
  /**
   * The lock and request ID that the forklift saw before and after it waited at the gate, in order.
   */
  readonly trips: readonly (readonly [before: string, after: string])[];
  /** The values that the count streams. */
  readonly shelves: Subject<string>;
  /** Connects by TCP. */
  connect(): ClientProxy;
  get<T>(type: Type<T>): T;
  /** Waits until this many calls hold or wait for the article. */
  untilQueued(count: number): Promise<void>;
}

export async function openWarehouse(
  apps: TestApps,
  adapter?: AbstractHttpAdapter,
  extra?: Parameters<TestApps['zkLock']>[0],
): Promise<Warehouse> {
  const imports = [apps.zkLock({ ...extra }), WarehouseModule];
  const app = await apps.build({ imports }, adapter);
  const gate = new Gate();
  onTestFinished(() => {
    gate.open();
  });
  const trips: (readonly [string, string])[] = [];
  const shelves = new Subject<string>();
  const tcpPort = await addTransports(app, 0);
  await app.listen(0, '127.0.0.1');
  const forklift = app.get(Forklift);
  const cls = app.get(ClsService);
  const here = (): string => `${currentLock().key}, ${cls.getId()}`;
  vi.spyOn(forklift, 'fetch').mockImplementation(async () => {
    const before = here();
    await gate.pass();
    trips.push([before, here()]);
  });
  vi.spyOn(forklift, 'shelves').mockReturnValue(shelves);
  return {
    app,
    url: await app.getUrl(),
    gate,
    trips,
    shelves,
    connect: () => connect(tcpPort),
    get: (type) => app.get(type, { strict: false }),
    untilQueued: (count) =>
      waitFor(async () => (await nodesOf(apps)).length === count, {
        what: `${count} in the queue of ${KEY}`,
      }).then(() => undefined),
  };
}

/** The znodes of holders and waiters of the article. */
export async function nodesOf(apps: TestApps): Promise<string[]> {
  return (await apps.lockNodes()).filter((node) => decodeURIComponent(node).startsWith(`${KEY}/`));
}

/** Connects by TCP. */
export function connect(port: number): ClientProxy {
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}
