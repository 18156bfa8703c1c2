import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { BoxOfficeController } from './box-office.controller.js';
import { BoxOfficeService } from './box-office.service.js';
import { HealthController } from './health.controller.js';
import { SalesLedger } from './sales-ledger.js';
import { SettingsModule } from './settings.module.js';
import { Settings } from './settings.js';
import { ZOOKEEPER, type ZooKeeper, ZooKeeperModule } from './zookeeper.module.js';

@Module({
  imports: [
    SettingsModule,
    ZooKeeperModule,
    ZkLockModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings, ZOOKEEPER],
      useFactory: ({ name }: Settings, { connectString }: ZooKeeper) => ({
        servers: connectString,
        application: name,
        // Short, because the demo kills replicas, and its user waits for the next holder.
        sessionTimeoutMs: 4_000,
      }),
    }),
    TerminusModule,
    ZkLockHealthModule,
  ],
  controllers: [BoxOfficeController, HealthController],
  providers: [BoxOfficeService, SalesLedger],
})
export class AppModule {}
