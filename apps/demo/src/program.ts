import { ConsoleLogger, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ZkLockError } from 'nestjs-zk-lock';
import type { AddressInfo, Server } from 'node:net';
import { Settings } from './settings.js';
import { StartError } from './start-error.js';

export type Application = INestApplication<Server>;

/**
 * Runs one of the demo's programs until a signal ends it. If it cannot start as configured, it prints one
 * line and exits with 1.
 *
 * @param onServing is called with its URL once it serves
 */
export async function runProgram(
  module: Type,
  onServing: (url: string, app: Application) => void,
): Promise<void> {
  try {
    // Silent at first: a failure to start is reported once, below.
    const app = await NestFactory.create<Application>(module, {
      logger: false,
      abortOnError: false,
    });
    app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const url = await listen(app);
    app.useLogger(new ConsoleLogger({ logLevels: ['log', 'warn', 'error', 'fatal'] }));
    onServing(url, app);
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}

async function listen(app: Application): Promise<string> {
  try {
    await app.listen(app.get(Settings, { strict: false }).port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return `http://localhost:${(app.getHttpServer().address() as AddressInfo).port}`;
}

function explain(error: unknown): unknown {
  if (error instanceof StartError || error instanceof ZkLockError) return error.message;
  const { code, syscall, port } = error as Record<string, unknown>;
  if (syscall !== 'listen') return error;
  return code === 'EADDRINUSE'
    ? `Port ${String(port)} is in use. Set PORT to another port, or to 0 for any free one.`
    : `Port ${String(port)} cannot be used (${String(code)}). Set PORT to another port.`;
}
