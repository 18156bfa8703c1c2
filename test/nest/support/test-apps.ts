import type {
  DynamicModule,
  INestApplication,
  LoggerService,
  ModuleMetadata,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { InspectClient } from '../../support/inspect-client.js';
import { leftOf } from '../../support/left-of.js';
import { findNewSessions } from '../../support/new-sessions.js';
import { sharedServer, uniqueRoot } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait-for.js';

const nothing = (): void => undefined;

/** Suppresses Nest's log of errors that tests provoke. */
const silentLogger: LoggerService = { log: nothing, warn: nothing, error: nothing };

type ModuleOptions = Parameters<typeof ZkLockModule.forRoot>[0];

export interface TestApps {
  /** The znode that contains this test's locks. */
  readonly root: string;
  /** Options that connect to the shared server. */
  options(extra?: Partial<ZkLockModuleOptions>): ZkLockModuleOptions;
  /** `ZkLockModule.forRoot()` with these options. */
  zkLock(extra?: Partial<ModuleOptions>): DynamicModule;
  /** Builds an application. */
  build(metadata: ModuleMetadata, adapter?: AbstractHttpAdapter): Promise<INestApplication>;
  /** Builds and initializes an application. */
  start(metadata: ModuleMetadata, adapter?: AbstractHttpAdapter): Promise<INestApplication>;
  /** Builds an application and starts listening. Returns its URL. */
  listen(metadata: ModuleMetadata, adapter?: AbstractHttpAdapter): Promise<string>;
  /** The lock service of another application, with its own session. */
  replica(extra?: Partial<ZkLockModuleOptions>): Promise<LockService>;
  /** The znodes of holders and waiters, as `key/node`. */
  lockNodes(): Promise<string[]>;
  /** Whether this test's root exists. */
  hasRoot(): Promise<boolean>;
  /** Deletes the znodes of a key's holders and waiters, as an operator would. */
  deleteLockNodes(key: string): Promise<void>;
  /** Runs `work` while a key's directory contains a znode that is not a lock node. */
  whileForeign<T>(key: string, node: string, work: () => Promise<T>): Promise<T>;
  /** Waits until this many calls hold or wait for a lock. */
  untilQueued(count: number): Promise<void>;
}

/** Applications on the shared server. After each test, no znodes or sessions may be left. */
export function useTestApps(): TestApps {
  const apps: INestApplication[] = [];
  let inspect: InspectClient;
  let newSessions: () => Promise<readonly string[]>;
  let root = '';

  beforeAll(async () => {
    inspect = await InspectClient.connect(sharedServer().connectString);
  });
  afterAll(() => inspect.close());

  beforeEach(async () => {
    root = uniqueRoot();
    newSessions = await findNewSessions();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    expect(await leftOf(() => testApps.lockNodes())).toEqual([]);
    expect(await leftOf(newSessions)).toEqual([]);
    await inspect.deleteTree(root);
  });

  const testApps: TestApps = {
    get root() {
      return root;
    },
    options: (extra) => ({ servers: sharedServer().connectString, root, ...extra }),
    zkLock: (extra) => ZkLockModule.forRoot({ ...testApps.options(), ...extra }),
    async build(metadata, adapter) {
      const module = await Test.createTestingModule(metadata).setLogger(silentLogger).compile();
      const app = adapter ? module.createNestApplication(adapter) : module.createNestApplication();
      apps.push(app);
      return app;
    },
    async start(metadata, adapter) {
      const app = await testApps.build(metadata, adapter);
      return app.init();
    },
    async listen(metadata, adapter) {
      const app = await testApps.start(metadata, adapter);
      await app.listen(0, '127.0.0.1');
      return app.getUrl();
    },
    async replica(extra) {
      const app = await testApps.start({ imports: [testApps.zkLock(extra)] });
      return app.get(LockService);
    },
    async lockNodes() {
      const paths = await inspect.tree(root);
      return paths
        .filter((path) => path.includes('/_c_'))
        .map((path) => path.slice(root.length + 1));
    },
    hasRoot: async () => (await inspect.exists(root)) !== undefined,
    async deleteLockNodes(key) {
      for (const path of await inspect.tree(`${root}/${key}`)) await inspect.deleteTree(path);
    },
    async whileForeign(key, node, work) {
      const path = `${root}/${key}/${node}`;
      const locks = await testApps.replica();
      // Inside the lock, because an empty directory may be removed at any time.
      await locks.withLock(key, () => inspect.create(path));
      try {
        return await work();
      } finally {
        await inspect.delete(path);
      }
    },
    async untilQueued(count) {
      await waitFor(async () => (await testApps.lockNodes()).length === count, {
        what: `${count} lock nodes`,
      });
    },
  };
  return testApps;
}
