import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { serve, startOptions } from '../serve.js';
import { commandsOf } from './commands.js';
import type { Commands } from './protocol.js';

@Module({ imports: [ZkLockModule.forRoot(startOptions() as ZkLockModuleOptions)] })
class LockWorkerModule {}

const app = await NestFactory.createApplicationContext(LockWorkerModule, { logger: false });
app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
serve<Commands>(commandsOf(app.get(LockService)), () => app.close());
