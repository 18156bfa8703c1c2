import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { BoxOfficeController } from './box-office.controller.js';
import { BoxOfficeService } from './box-office.service.js';
import { HealthController } from './health.controller.js';
import { SalesLedger } from './sales-ledger.js';
import { SettingsModule } from './settings.module.js';
import { ZOOKEEPER, type ZooKeeper, ZooKeeperModule } from './zookeeper.module.js';

@Module({
  imports: [
    SettingsModule,
    ZkLockModule.forRootAsync({
      imports: [ZooKeeperModule],
      inject: [ZOOKEEPER],
      useFactory: ({ connectString }: ZooKeeper) => ({ servers: connectString }),
    }),
    // Open to all who reach it: the box office listens on loopback alone.
    ZkLockBoardModule.forRoot({ guards: 'none' }),
    TerminusModule,
    ZkLockHealthModule,
  ],
  controllers: [BoxOfficeController, HealthController],
  providers: [BoxOfficeService, SalesLedger],
})
export class AppModule {}
