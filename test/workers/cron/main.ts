import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { ZkLockModule } from 'nestjs-zk-lock';
import { serve, startOptions } from '../serve.js';
import type { CronWorkerOptions } from './protocol.js';
import { defineReportJob } from './report-job.js';

const options = startOptions() as CronWorkerOptions;

const { now } = Date;
Date.now = () => now() - options.lateMs;

@Module({
  imports: [ScheduleModule.forRoot(), ZkLockModule.forRoot(options.zkLock)],
  providers: [defineReportJob(options)],
})
class CronWorkerModule {}

const app = await NestFactory.createApplicationContext(CronWorkerModule, { logger: false });
app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
serve({}, () => app.close());
