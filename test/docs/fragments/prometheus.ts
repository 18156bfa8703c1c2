import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { servers } from './servers.js';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';

@Module({ imports: [ZkLockModule.forRoot({ servers }), ZkLockPrometheusModule.forRoot()] })
export class AppModule {}
