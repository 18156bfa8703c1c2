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
  // Silent at first: a failure to start is reported once, below.
  const options: NestApplicationOptions = { logger: false, abortOnError: false };
  return platform === 'fastify'
    ? NestFactory.create(AppModule, new FastifyAdapter(), options)
    : NestFactory.create(AppModule, options);
}

/** Listens on both ports and returns the TCP port. On failure it closes the application. */
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
  // Exits with 0 after a signal, even for a supervisor that does not know signals.
  app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP'], { useProcessExit: true });
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  // No HTML pages: on Fastify they need one more package.
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
      'No article is picked during a count: the second line is refused (423) until the first ends.',
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
