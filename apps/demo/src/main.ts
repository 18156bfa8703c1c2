import { ConsoleLogger, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ZkLockError } from 'nestjs-zk-lock';
import type { AddressInfo, Server } from 'node:net';
import { AppModule } from './app.module.js';
import { greet } from './greeting.js';
import { readSettings } from './settings.js';
import { StartError } from './start-error.js';
import { ZOOKEEPER, type ZooKeeper } from './zookeeper.module.js';

type Application = INestApplication<Server>;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  // Silent at first: a failure to start is reported once, below.
  const app = await NestFactory.create<Application>(AppModule, {
    logger: false,
    abortOnError: false,
  });
  app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
  const url = await listen(app, settings.port);
  app.useLogger(new ConsoleLogger({ logLevels: ['log', 'warn', 'error', 'fatal'] }));
  console.log(greet(url, settings, app.get<ZooKeeper>(ZOOKEEPER, { strict: false })));
  endWithParent(url);
}

async function listen(app: Application, port: number): Promise<string> {
  try {
    await app.listen(port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return `http://localhost:${(app.getHttpServer().address() as AddressInfo).port}`;
}

/**
 * `demo.ts` starts replicas with an IPC channel. A replica sends its address, and ends with the
 * channel.
 */
function endWithParent(url: string): void {
  if (!process.send) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.send(url);
}

function explain(error: unknown): unknown {
  if (error instanceof StartError || error instanceof ZkLockError) return error.message;
  const { code, syscall, port } = error as Record<string, unknown>;
  if (syscall !== 'listen') return error;
  return code === 'EADDRINUSE'
    ? `Port ${String(port)} is in use. Set PORT to another one, or to 0 for any that is free.`
    : `Port ${String(port)} cannot be used (${String(code)}). Set PORT to another one.`;
}

try {
  await main();
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}
