import { ConsoleLogger, type INestApplication, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { addTransports } from './add-transports.js';
import { AppModule } from './app.module.js';
import { explain } from './explain.js';
import { type Settings, readSettings } from './settings.js';
import { ZOOKEEPER, type ZooKeeper } from './zookeeper.module.js';

async function create({ platform }: Settings): Promise<INestApplication> {
  // Silent at first: what goes wrong on the way up is said once, below.
  const options: NestApplicationOptions = { logger: false, abortOnError: false };
  return platform === 'fastify'
    ? NestFactory.create(AppModule, new FastifyAdapter(), options)
    : NestFactory.create(AppModule, options);
}

/** Listens at both ports, or leaves nothing behind; returns that of TCP. */
async function listen(app: INestApplication, { port, tcpPort }: Settings): Promise<number> {
  try {
    const usedPort = await addTransports(app, tcpPort);
    await app.listen(port);
    return usedPort;
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const app = await create(settings);
  // Told to end, it has done what it was asked to: 0, also for a supervisor that knows no signals.
  app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP'], { useProcessExit: true });
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  // Without pages to look at it, which on Fastify would need one more package.
  SwaggerModule.setup('api', app, document, { ui: false, raw: ['json'], jsonDocumentUrl: 'api' });
  const tcpPort = await listen(app, settings);
  app.useLogger(new ConsoleLogger({ logLevels: ['error', 'warn'] }));
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  const { connectString } = app.get<ZooKeeper>(ZOOKEEPER, { strict: false });
  console.log(
    [
      `ZooKeeper: ${connectString}`,
      `Warehouse: ${url} (${settings.platform}), GraphQL at /graphql, OpenAPI at /api`,
      `TCP: 127.0.0.1:${tcpPort}`,
      `Lock board: ${url}/locks, user operator, password ${settings.boardPassword}`,
      '',
      'Nobody picks while somebody counts: the second line is refused (423), until the first ends.',
      `  curl -sN --max-time 5 ${url}/stock/bolts/count &`,
      `  curl -isX POST '${url}/stock/bolts/picks?patienceMs=500'`,
    ].join('\n'),
  );
}

try {
  await main();
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}
