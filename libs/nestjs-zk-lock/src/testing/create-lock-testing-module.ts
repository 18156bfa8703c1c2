import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { ZkLockConfigError } from 'zk-locks';
import { checkOption, readOptions } from 'zk-locks/framework';
import { ZkLockModule } from '../zk-lock.module.js';
import { LockTestingError } from './lock-testing-error.js';
import type { LockTestingModuleOptions } from './lock-testing.options.js';
import { withEmbeddedZooKeeper } from './with-embedded-zookeeper.js';

/** Test runners give a hook that closes the module no more time than the service's own default. */
const SHUTDOWN_GRACE_MS = 1_000;

/**
 * Like `Test.createTestingModule()`, but every module in it can inject the `LockService` of an
 * embedded ZooKeeper server. The server stops when the module or its application is closed, or when
 * `compile()` fails. For modules that import `ZkLockModule` themselves, use
 * {@link withEmbeddedZooKeeper}.
 *
 * @example
 * ```ts
 * const moduleRef = await createLockTestingModule({ providers: [OrdersService] }).compile();
 * ```
 *
 * @param metadata the modules and providers under test
 * @param given options of the connection; with `name`, it is a named connection. The default of
 * `shutdownGraceMs` is 1,000
 * @returns Nest's builder, for more overrides. Its `compile()` rejects with a
 * {@link ZkLockConfigError} for an option that is unknown or malformed, and with a
 * {@link LockTestingError} if another import uses `ZkLockModule` under the same name, or
 * `zk-embedded` is not installed
 * @publicApi
 */
export function createLockTestingModule(
  metadata: ModuleMetadata,
  given?: LockTestingModuleOptions,
): TestingModuleBuilder {
  const { name, ...options } = readOptions(given);
  const own = readOptions(metadata);
  if (own.imports !== undefined) checkOption('imports', own.imports);
  const zkLock = ZkLockModule.forRoot({
    servers: 'embedded',
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
    name,
  });
  const imports = [zkLock, ...(own.imports ?? [])];
  const builder = withEmbeddedZooKeeper(Test.createTestingModule({ ...own, imports }), options);
  const compile = builder.compile.bind(builder);
  builder.compile = (...args): Promise<TestingModule> =>
    compile(...args).catch((error: unknown) => {
      throw isSecondZkLockModule(error) ? secondZkLockModule(error) : error;
    });
  return builder;
}

const isSecondZkLockModule = (error: unknown): boolean =>
  error instanceof ZkLockConfigError && error.message.includes('imported more than once');

function secondZkLockModule(cause: unknown): LockTestingError {
  return new LockTestingError(
    'createLockTestingModule() provides a ZkLockModule, but one of the modules passed to it also imports ZkLockModule. Use withEmbeddedZooKeeper(Test.createTestingModule(…)) instead, or pass another `name` here.',
    { cause },
  );
}
