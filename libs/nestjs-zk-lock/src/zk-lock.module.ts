import { type DynamicModule, Module, type NestInterceptor, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { lastValueFrom } from 'rxjs';
import { ZkLockConfigError } from 'zk-locks';
import { checkOption, checkValue, object, readOptions } from 'zk-locks/framework';
import { AtBootstrap } from './decorators/at-bootstrap.js';
import { SetupCheck } from './decorators/setup-check.js';
import { checkDecoratedPermits } from './decorators/with-permit.decorator.js';
import { agreedPermitsIn, featureModule } from './feature/feature-module.js';
import type { ZkLockFeatureOptions } from './feature/feature.options.js';
import { getLockServiceToken } from './inject-lock-service.decorator.js';
import { getZkClientToken } from './inject-zk-client.decorator.js';
import { LockService } from './lock.service.js';
import { ShutdownHooksCheck } from './shutdown-hooks-check.js';
import { closeIfOptionsFail, OPTION_SOURCES, orCloseAll } from './startup.js';
import { LockErrorsInterceptor } from './transport/lock-errors.interceptor.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
} from './zk-lock.module-definition.js';
import {
  RESOLVED_OPTIONS,
  type ResolvedModuleOptions,
  resolveModuleOptions,
  type ZkLockOptionsFactory,
} from './zk-lock.options.js';

/**
 * Connects an application to ZooKeeper and provides its {@link LockService} and its
 * {@link ZkClient}.
 *
 * Import it once per connection, in the root module. Every module can then inject the service.
 *
 * @publicApi
 */
@Module({})
export class ZkLockModule extends ConfigurableModuleClass {
  /**
   * @example
   * ```ts
   * ZkLockModule.forRoot({ servers: 'zk1:2181,zk2:2181/app' })
   * ```
   *
   * @throws {ZkLockConfigError} at bootstrap, naming the option that is unknown or malformed
   * @throws {ZooKeeperUnavailableError} at bootstrap, when no server answered within
   * `connectTimeoutMs` and `lazy` is not set
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    const own = readObject('forRoot', options);
    return connect(super.forRoot(own), own);
  }

  /**
   * @example
   * ```ts
   * ZkLockModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ servers: config.getOrThrow('ZK_CONNECT') }),
   * })
   * ```
   *
   * @param options `useFactory` with `inject`, `useClass` or `useExisting` of a
   * {@link ZkLockOptionsFactory}; pass `isGlobal` and `name` next to it
   * @throws as {@link forRoot}
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const own = readOptions(readObject('forRootAsync', options), ASYNC_OPTIONS, {
      elsewhere: 'The options of the connection are returned by the factory.',
    });
    checkOption('forRootAsync', own);
    for (const name of OPTION_SOURCES) {
      // Nest itself would report mistakes in the others less clearly.
      if (name !== 'useExisting' && own[name] !== undefined) checkOption(name, own[name]);
    }
    const { useFactory = createOptions } = own;
    return connect(
      closeIfOptionsFail(super.forRootAsync(own), MODULE_OPTIONS_TOKEN, useFactory),
      own,
    );
  }

  /**
   * Provides semaphores and elections to the module that imports it, for `@InjectSemaphore(key)`
   * and `@InjectElection(key)`. The connection must be global, as it is by default.
   *
   * @example
   * ```ts
   * ZkLockModule.forFeature({
   *   semaphores: [{ key: 'cards', permits: 4 }],
   *   elections: ['reports'],
   * })
   * ```
   *
   * @throws {ZkLockConfigError} for an option that is unknown or malformed; at bootstrap, when
   * another `forFeature()` declares other permits for the same key, or the connection is not global
   * @throws {LockKeyError} when a key is empty or too long
   */
  static forFeature(options: ZkLockFeatureOptions): DynamicModule {
    return featureModule(
      ZkLockModule,
      readObject('forFeature', options, "{ elections: ['reports'] }"),
    );
  }
}

const PASS_THROUGH: NestInterceptor = {
  intercept: (_context, next) => next.handle(),
};

/** @throws {ZkLockConfigError} */
function readObject<T extends object>(
  method: string,
  options: T,
  least = "{ servers: 'host:2181' }",
): T {
  checkValue(method, options, {
    ...object(`Pass at least ${least}.`),
    expected: 'called with an object',
  });
  return readOptions(options);
}

const ASYNC_OPTIONS = [...OPTION_SOURCES, 'name', 'isGlobal'];

/** @throws {ZkLockConfigError} */
function createOptions(factory: ZkLockOptionsFactory): unknown {
  checkValue('createZkLockOptions', factory, {
    expected: 'a method of the class that useClass or useExisting names',
    accepts: (given) =>
      typeof (given as Partial<ZkLockOptionsFactory> | null | undefined)?.createZkLockOptions ===
      'function',
    finding: () => undefined,
    remedy: 'Let the class implement ZkLockOptionsFactory.',
  });
  return factory.createZkLockOptions();
}

function connect(
  definition: DynamicModule,
  { name, isGlobal }: { name?: string; isGlobal?: boolean },
): DynamicModule {
  if (isGlobal !== undefined) checkOption('isGlobal', isGlobal);
  const service = getLockServiceToken(name);
  return {
    ...definition,
    global: isGlobal ?? true,
    providers: [...(definition.providers ?? []), ...createProviders(name)],
    exports: [service, getZkClientToken(name)],
  };
}

function createProviders(name: string | undefined): Provider[] {
  const service = getLockServiceToken(name);
  return [
    {
      provide: RESOLVED_OPTIONS,
      inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
      useFactory: (options: unknown, modules: ModulesContainer) =>
        orCloseAll(modules, () => resolveModuleOptions(options)),
    },
    {
      provide: service,
      inject: [RESOLVED_OPTIONS, ModulesContainer],
      useFactory: (options: ResolvedModuleOptions, modules: ModulesContainer) =>
        orCloseAll(modules, async (add) => {
          refuseSecond(modules, name);
          const agreedPermits = agreedPermitsIn(modules, name);
          checkDecoratedPermits(modules, name, agreedPermits);
          const created = new LockService(options, name, agreedPermits);
          add(created, lastValueFrom(created.session.state$));
          await created.start({ wait: !options.lazy });
          return created;
        }),
    },
    {
      provide: getZkClientToken(name),
      inject: [service],
      useFactory: (locks: LockService) => locks.client,
    },
    {
      provide: AtBootstrap,
      inject: [service, ModulesContainer],
      useFactory: (locks: LockService, modules: ModulesContainer) =>
        new AtBootstrap(locks, name, modules),
    },
    SetupCheck,
    ShutdownHooksCheck,
    {
      provide: APP_INTERCEPTOR,
      inject: [RESOLVED_OPTIONS, HttpAdapterHost],
      useFactory: ({ mapErrors }: ResolvedModuleOptions, host: HttpAdapterHost) =>
        mapErrors ? new LockErrorsInterceptor(host) : PASS_THROUGH,
    },
  ];
}

/** With two sessions under one name, a `@Locked()` method could use either of them. */
function refuseSecond(modules: ModulesContainer, name: string | undefined): void {
  const service = getLockServiceToken(name);
  const same = [...modules.values()].filter(
    ({ metatype, providers }) => metatype === ZkLockModule && providers.has(service),
  );
  if (same.length > 1) {
    throw new ZkLockConfigError(
      'name',
      name === undefined
        ? 'is missing, but ZkLockModule is imported more than once without a name'
        : `is "${name}", but ZkLockModule is imported more than once with this name`,
      'Import it once, in the root module, or give each connection its own name.',
    );
  }
}
