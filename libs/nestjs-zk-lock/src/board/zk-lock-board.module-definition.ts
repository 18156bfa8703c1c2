import { ConfigurableModuleBuilder } from '@nestjs/common';
import type {
  ZkLockBoardExtras,
  ZkLockBoardOptions,
  ZkLockBoardOptionsFactory,
} from './board.options.js';

const definition = new ConfigurableModuleBuilder<ZkLockBoardOptions>({ moduleName: 'ZkLockBoard' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createZkLockBoardOptions' satisfies keyof ZkLockBoardOptionsFactory)
  .setExtras<Partial<ZkLockBoardExtras>>({
    guards: undefined,
    hosts: undefined,
    actionGuards: undefined,
    path: undefined,
    version: undefined,
    connection: undefined,
  })
  .build();

export const ConfigurableModuleClass = definition.ConfigurableModuleClass;
export const MODULE_OPTIONS_TOKEN = definition.MODULE_OPTIONS_TOKEN;
export const OPTIONS_TYPE = definition.OPTIONS_TYPE;
export const ASYNC_OPTIONS_TYPE = definition.ASYNC_OPTIONS_TYPE;
