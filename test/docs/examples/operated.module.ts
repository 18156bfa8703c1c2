import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';

@Module({
  imports: [
    ZkLockModule.forRootAsync({
      useFactory: () => ({
        servers: process.env.ZK_CONNECT!, // all of them: 'zk1:2181,zk2:2181,zk3:2181/shop'
        application: 'billing', // shown in errors and queues
        sessionTimeoutMs: 15_000,
        tickTimeMs: 2_000, // as on the servers
        acquireTimeoutMs: 8_000, // the gateway gives up after ten
        shutdownGraceMs: 20_000, // Kubernetes kills after thirty
      }),
    }),
  ],
})
export class OperatedModule {}
