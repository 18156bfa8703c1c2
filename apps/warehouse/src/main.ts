import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { addTransports } from './add-transports.js';
import { AppModule } from './app.module.js';
import { type Settings, readSettings } from './settings.js';
import { ZOOKEEPER, type ZooKeeper } from './zookeeper.module.js';

async function create({ platform }: Settings): Promise<INestApplication> {
  const options: NestApplicationOptions = { logger: ['error', 'warn'], abortOnError: false };
  return platform === 'fastify'
    ? NestFactory.create(AppModule, new FastifyAdapter(), options)
    : NestFactory.create(AppModule, options);
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const app = await create(settings);
  app.enableShutdownHooks(['SIGINT', 'SIGTERM', 'SIGHUP']);
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  SwaggerModule.setup('api', app, document);
  const tcpPort = await addTransports(app, settings.tcpPort);
  await app.listen(settings.port);
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  const { connectString } = app.get<ZooKeeper>(ZOOKEEPER, { strict: false });
  console.log(
    [
      `ZooKeeper: ${connectString}`,
      `Warehouse: ${url} (${settings.platform}), GraphQL at /graphql, OpenAPI at /api`,
      `TCP: 127.0.0.1:${tcpPort}`,
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
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
