import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { GraphQLModule } from '@nestjs/graphql';
import { TerminusModule } from '@nestjs/terminus';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import { ClsModule } from 'nestjs-cls';
import { ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { Forklift } from './forklift.js';
import { HealthController } from './health.controller.js';
import { PaperListener } from './paper.listener.js';
import { PickProcessor } from './pick.processor.js';
import { StockController } from './stock.controller.js';
import { StockGateway } from './stock.gateway.js';
import { StockMessages } from './stock.messages.js';
import { StockResolver } from './stock.resolver.js';
import { StockService } from './stock.service.js';

const requestIdOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-request-id'] ?? randomUUID());

/** All of the warehouse but its locks. The importing module brings those. */
@Module({
  imports: [
    // Gateways and message handlers have no middleware, so their CLS context starts in an
    // interceptor.
    ClsModule.forRoot({
      global: true,
      middleware: { mount: true, generateId: true, idGenerator: requestIdOf },
      interceptor: { generateId: true },
    }),
    EventEmitterModule.forRoot(),
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      // Otherwise Nest responds with 200 to every error, and only `extensions` has the status.
      preserveHttpStatusForExecutionErrors: false,
      // Otherwise Apollo shuts down first and blocks: up to 10 s on requests that wait for locks and,
      // on Fastify, indefinitely on open WebSockets.
      stopOnApplicationShutdown: true,
    }),
    TerminusModule,
    ZkLockHealthModule,
  ],
  controllers: [StockController, StockMessages, HealthController],
  providers: [Forklift, PaperListener, PickProcessor, StockGateway, StockResolver, StockService],
})
export class WarehouseModule {}
