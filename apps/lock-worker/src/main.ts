import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { LockWorkerService } from './lock-worker.service.js';
import type { Message, Request } from './protocol.js';

/** The lock module's options, as JSON in the environment. */
const options = JSON.parse(process.env.LOCK_WORKER_OPTIONS ?? '{}') as ZkLockModuleOptions;

@Module({
  imports: [ZkLockModule.forRoot(options)],
  providers: [LockWorkerService],
})
class LockWorkerModule {}

const tell = (message: Message): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

async function answer({ id, command }: Request, worker: LockWorkerService): Promise<void> {
  try {
    tell({ type: 'answer', id, value: await worker.execute(command, tell) });
  } catch (error) {
    const { name, code = '', message } = error as Error & { code?: string };
    tell({ type: 'failure', id, error: { name, code, message } });
  }
}

const app = await NestFactory.createApplicationContext(LockWorkerModule, { logger: false });
app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
const worker = app.get(LockWorkerService);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void answer(JSON.parse(line) as Request, worker));
lines.on('close', () => void app.close());
tell({ type: 'ready' });
