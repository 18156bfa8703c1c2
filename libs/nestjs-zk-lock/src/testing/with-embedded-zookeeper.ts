import { ModulesContainer } from '@nestjs/core';
import type { TestingModule, TestingModuleBuilder } from '@nestjs/testing';
import { readOptions } from 'zk-locks/internal';
import { RESOLVED_OPTIONS } from '../zk-lock.constants.js';
import { MODULE_OPTIONS_TOKEN } from '../zk-lock.module-definition.js';
import { Embedding } from './embedding.js';
import { LockTestingError } from './lock-testing-error.js';
import type { LockTestingOptions } from './lock-testing.options.js';

/**
 * Puts an embedded ZooKeeper server under each `ZkLockModule` of an application, in place of the
 * servers that its `forRoot()` or `forRootAsync()` names. Each connection, named or not, gets a server
 * of its own, on any free port, in memory, that ends when the module or its application is closed, or
 * when `compile()` fails.
 *
 * The application's other options stay, but for `sessionTimeoutMs` (2,000 ms), `tickTimeMs`,
 * `connectTimeoutMs` and `lazy`. A `useFactory` is called as ever; what it gives for `servers` may be
 * anything, or missing.
 *
 * @example
 * ```ts
 * const moduleRef = await withEmbeddedZooKeeper(
 *   Test.createTestingModule({ imports: [AppModule] }),
 * ).compile();
 * ```
 *
 * @param builder what `Test.createTestingModule()` has given
 * @param options for every connection, before those of the application
 * @returns the same builder, whose `compile()` rejects with a {@link LockTestingError} where nothing
 * imports `ZkLockModule` or `zk-embedded` is not installed
 * @publicApi
 */
export function withEmbeddedZooKeeper(
  builder: TestingModuleBuilder,
  options?: LockTestingOptions,
): TestingModuleBuilder {
  if (!isBuilder(builder)) {
    throw new LockTestingError(
      'withEmbeddedZooKeeper() was not given a builder. Pass what Test.createTestingModule() returns, before its compile().',
    );
  }
  const compile = builder.compile.bind(builder);
  const embedding = new Embedding(readOptions(options));
  // Not overrideModule(): it knows a dynamic module only by the very object that was imported.
  builder.overrideProvider(RESOLVED_OPTIONS).useFactory({
    inject: [ModulesContainer, MODULE_OPTIONS_TOKEN],
    factory: (modules: ModulesContainer, own: unknown) => embedding.open(modules, own),
  });
  // Nest runs no hooks where a provider fails, and tells only the caller of compile().
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
    'withEmbeddedZooKeeper() found no ZkLockModule to put a server under. Import the module that imports it, or let createLockTestingModule() provide a LockService.',
  );
}
