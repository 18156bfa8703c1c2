import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ZkLockModuleOptions, ZkLockOptionsFactory } from './zk-lock.options.js';

/**
 * What shapes the module rather than the connection, and so is known before any options factory runs.
 *
 * @publicApi
 */
export interface ZkLockModuleExtras {
  /**
   * Whether every module of the application can inject `LockService` without importing this one.
   * Nest also shuts a global module down last, so that the shutdown hooks of all others can still
   * take locks. With `false`, only modules that import the same dynamic module can inject it.
   * `@Locked()` methods find it anyway.
   * @default true
   */
  isGlobal?: boolean;
  /**
   * The name of this connection, where an application has several. Ask for it with
   * `@InjectLockService(name)` and `@Locked(key, { connection: name })`.
   */
  name?: string;
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
