import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ZkLockModuleOptions, ZkLockOptionsFactory } from './zk-lock.options.js';

/**
 * Options of the module rather than of the connection, known before any options factory runs.
 */
export interface ZkLockModuleExtras {
  /**
   * Whether every module of the application can inject `LockService` without importing this one.
   * Nest also shuts down a global module last, so the shutdown hooks of all others can still take
   * locks. With `false`, only modules that import the same dynamic module can inject it.
   * `@Locked()` methods find it in any case.
   * @default true
   */
  isGlobal?: boolean | undefined;
  /**
   * The name of this connection, if an application has several. Use it in
   * `@InjectLockService(name)` and `@Locked(key, { connection: name })`.
   */
  name?: string | undefined;
}

const definition = new ConfigurableModuleBuilder<ZkLockModuleOptions>({ moduleName: 'ZkLock' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createZkLockOptions' satisfies keyof ZkLockOptionsFactory)
  .setExtras<ZkLockModuleExtras>({ isGlobal: true, name: undefined })
  .build();

export const ConfigurableModuleClass = definition.ConfigurableModuleClass;
export const MODULE_OPTIONS_TOKEN = definition.MODULE_OPTIONS_TOKEN;
export const OPTIONS_TYPE = definition.OPTIONS_TYPE;
export const ASYNC_OPTIONS_TYPE = definition.ASYNC_OPTIONS_TYPE;
