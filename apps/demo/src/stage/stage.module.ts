import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { HealthController } from '../health.controller.js';
import { SalesLedger } from '../sales-ledger.js';
import { SettingsModule } from '../settings.module.js';
import { ZOOKEEPER, type ZooKeeper, ZooKeeperModule } from '../zookeeper.module.js';
import { OwnPage, StageController } from './stage.controller.js';
import { Stage } from './stage.js';

@Module({
  imports: [
    SettingsModule,
    ZooKeeperModule,
    ZkLockModule.forRootAsync({
      inject: [ZOOKEEPER],
      useFactory: ({ connectString }: ZooKeeper) => ({
        servers: connectString,
        application: 'stage',
      }),
    }),
    // Open to everyone who can reach it, because the stage listens on loopback only.
    ZkLockBoardModule.forRoot({ guards: 'none' }),
    TerminusModule,
    ZkLockHealthModule,
  ],
  controllers: [StageController, HealthController],
  // The ledger checks the file of sales before the replicas use it.
  providers: [Stage, OwnPage, SalesLedger],
})
export class StageModule {}
