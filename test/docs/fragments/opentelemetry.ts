import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { servers } from './servers.js';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';

@Module({ imports: [ZkLockModule.forRoot({ servers }), ZkLockOpenTelemetryModule.forRoot()] })
export class AppModule {}
