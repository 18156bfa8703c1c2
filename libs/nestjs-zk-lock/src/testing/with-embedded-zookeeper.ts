import { ModulesContainer } from '@nestjs/core';
import type { TestingModule, TestingModuleBuilder } from '@nestjs/testing';
import { readOptions } from 'zk-locks/framework';
import { RESOLVED_OPTIONS } from '../zk-lock.options.js';
import { MODULE_OPTIONS_TOKEN } from '../zk-lock.module-definition.js';
import { Embedding } from './embedding.js';
import { LockTestingError } from './lock-testing-error.js';
import type { LockTestingOptions } from './lock-testing.options.js';

/**
 * Replaces the servers that the `forRoot()` or `forRootAsync()` of each `ZkLockModule` names by an
 * embedded ZooKeeper server. Each connection, named or not, gets a server of its own, on any free
 * port and in memory. It stops when the module or its application is closed, or when `compile()`
 * fails.
 *
 * The application's other options stay, except for `sessionTimeoutMs` (2,000 ms, and more with
 * `marginMs`), `tickTimeMs`, `connectTimeoutMs`, `lazy`, `tls` (`false`) and the scheme of
 * `credentials` (`digest`). A `useFactory` is called as usual; its `servers` can have any
 * value, or be missing.
 *
 * @example
 * ```ts
 * const moduleRef = await withEmbeddedZooKeeper(
 *   Test.createTestingModule({ imports: [AppModule] }),
 * ).compile();
 * ```
 *
 * @param builder the result of `Test.createTestingModule()`
 * @param options for every connection; they take precedence over those of the application
 * @returns the same builder, whose `compile()` rejects with a {@link LockTestingError} if
 * `ZkLockModule` is not imported or `zk-embedded` is not installed, and with a `ZkLockConfigError` if
 * the options do not allow a session
 * @publicApi
 */
export function withEmbeddedZooKeeper(
  builder: TestingModuleBuilder,
  options?: LockTestingOptions,
): TestingModuleBuilder {
  if (!isBuilder(builder)) {
    throw new LockTestingError(
      'withEmbeddedZooKeeper() needs a builder. Pass the result of Test.createTestingModule(), before its compile().',
    );
  }
  const compile = builder.compile.bind(builder);
  const embedding = new Embedding(readOptions(options));
  // Not overrideModule(): it recognizes a dynamic module only by the very object that was imported.
  builder.overrideProvider(RESOLVED_OPTIONS).useFactory({
    inject: [ModulesContainer, MODULE_OPTIONS_TOKEN],
    factory: (modules: ModulesContainer, own: unknown) => embedding.open(modules, own),
  });
  // When a provider fails, Nest runs no hooks, and notifies only the caller of compile().
  builder.compile = async (...args): Promise<TestingModule> => {
    try {
      const moduleRef = await compile(...args);
      if (embedding.isUsed) {
        await embedding.connected();
        return moduleRef;
      }
      await moduleRef.close();
      throw noZkLockModule();
    } catch (error) {
      await embedding.abandon();
      throw error;
    }
  };
  return builder;
}

function isBuilder(value: Partial<TestingModuleBuilder> | null | undefined): boolean {
  try {
    return typeof value?.compile === 'function' && typeof value.overrideProvider === 'function';
  } catch {
    return false;
  }
}

function noZkLockModule(): LockTestingError {
  return new LockTestingError(
    'withEmbeddedZooKeeper() found no ZkLockModule. Import the module that imports it, or use createLockTestingModule(), which provides a LockService.',
  );
}
