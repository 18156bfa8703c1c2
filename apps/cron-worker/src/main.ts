import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { ZkLockModule } from 'nestjs-zk-lock';
import type { CronWorkerOptions, Message } from './protocol.js';
import { defineReportJob } from './report-job.js';

const options = JSON.parse(process.env.CRON_WORKER_OPTIONS ?? '{}') as CronWorkerOptions;

const { now } = Date;
Date.now = () => now() - options.lateMs;

const tell = (message: Message): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

@Module({
  imports: [ScheduleModule.forRoot(), ZkLockModule.forRoot(options.zkLock)],
  providers: [defineReportJob(options, tell)],
})
class CronWorkerModule {}

const app = await NestFactory.createApplicationContext(CronWorkerModule, { logger: false });
app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
process.stdin.once('end', () => void app.close()).resume();
tell({ type: 'ready' });
