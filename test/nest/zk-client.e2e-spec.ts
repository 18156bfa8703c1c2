import { setImmediate as nextTurn } from 'node:timers/promises';
import { Global, Injectable, Logger, Module } from '@nestjs/common';
import {
  LockService,
  InjectZkClient,
  ZkClient,
  ZkLockModule,
  ZooKeeperUnavailableError,
} from 'nestjs-zk-lock';
import { firstValueFrom, Subject } from 'rxjs';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { ThemeService } from './examples/theme.service.js';
import { useTestApps } from './support/test-apps.js';

let inspector: InspectClient;
beforeAll(async () => {
  inspector = await InspectClient.connect(sharedServer().connectString);
});
afterAll(() => inspector.close());

/** A node for this test alone. */
async function ownNode(): Promise<string> {
  const path = uniqueRoot();
  await inspector.create(path, '');
  onTestFinished(() => inspector.deleteTree(path));
  return path;
}

const apps = useTestApps();

@Injectable()
class Consumer {
  constructor(
    readonly zk: ZkClient,
    @InjectZkClient('archive') readonly archive: ZkClient,
  ) {}
}

@Global()
@Module({ providers: [Consumer] })
class FeatureModule {}

it('is provided beside the lock service of each connection, on its session', async () => {
  const app = await apps.start({
    imports: [
      ZkLockModule.forRootAsync({ useFactory: () => apps.options() }),
      apps.zkLock({ name: 'archive' }),
      FeatureModule,
    ],
  });
  const { zk, archive } = app.get(Consumer);
  const locks = app.get(LockService);
  expect(zk).toBeInstanceOf(ZkClient);
  expect(zk).toBe(locks.client);
  expect(archive).not.toBe(zk);
  expect(await firstValueFrom(zk.state$)).toEqual(locks.session.snapshot.state);
  expect(await firstValueFrom(archive.state$)).not.toEqual(locks.session.snapshot.state);
  const path = await ownNode();
  await zk.create(`${path}/a`, 'text');
  expect((await archive.get(`${path}/a`)).data.toString()).toBe('text');
});

it('lets replicas share a setting, as docs/znodes.md shows', async () => {
  const chroot = await ownNode();
  const servers = `${sharedServer().connectString}${chroot}`;
  const start = async (): Promise<ThemeService> => {
    const app = await apps.start({
      imports: [ZkLockModule.forRoot({ servers, root: '/locks' })],
      providers: [ThemeService],
    });
    return app.get(ThemeService);
  };
  const [one, two] = [await start(), await start()];
  await inspector.create(`${chroot}/theme`, 'red');
  const know = (theme: string) =>
    waitFor(() => one.theme === theme && two.theme === theme, { what: `the theme ${theme}` });
  await know('red');
  const darkened = await Promise.allSettled([one.darken(), two.darken()]);
  expect(darkened.map(({ status }) => status)).toContain('fulfilled');
  const { data } = await inspector.get(`${chroot}/theme`);
  await know(data.toString());
  await inspector.delete(`${chroot}/theme`);
  await know('light');
});

it('keeps a setting while ZooKeeper does not answer, as docs/znodes.md shows', async () => {
  const events = new Subject<unknown>();
  const get = vi.fn().mockResolvedValueOnce({ data: Buffer.from('red') });
  get.mockRejectedValueOnce(new ZooKeeperUnavailableError('did not answer'));
  get.mockResolvedValueOnce({ data: Buffer.from('blue') });
  const service = new ThemeService({ watch: () => events, get } as unknown as ZkClient);
  service.onModuleInit();
  onTestFinished(() => service.onModuleDestroy());
  const themes: string[] = [];
  for (let gap = 1; gap <= 3; gap++) {
    events.next({ type: 'gap', path: '/theme' });
    await nextTurn();
    themes.push(service.theme);
  }
  expect(themes).toEqual(['red', 'red', 'blue']);
});

it('logs why a setting cannot be watched, as docs/znodes.md shows', () => {
  const logged = vi.spyOn(Logger, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const events = new Subject<unknown>();
  const service = new ThemeService({ watch: () => events } as unknown as ZkClient);
  service.onModuleInit();
  const refused = new ZooKeeperUnavailableError('refused the watch');
  events.error(refused);
  expect(logged).toHaveBeenCalledWith(refused);
  expect(service.theme).toBe('light');
});
