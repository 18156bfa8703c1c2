import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { OperatorGuard } from './operator.guard.js';
import { ShelfModule } from './shelf/shelf.module.js';
import { WarehouseModule } from './warehouse.module.js';
import { ZOOKEEPER, type ZooKeeper, ZooKeeperModule } from './zookeeper.module.js';

@Module({
  imports: [
    // Global, like the locks, and imported before them: Nest shuts modules down in reverse order.
    ZooKeeperModule,
    ZkLockModule.forRootAsync({
      inject: [ZOOKEEPER],
      useFactory: ({ connectString }: ZooKeeper) => ({ servers: connectString }),
    }),
    ZkLockBoardModule.forRoot({
      guards: [OperatorGuard],
      // All who see it may act.
      readOnly: false,
      actionGuards: 'none',
    }),
    WarehouseModule,
    ShelfModule.forRoot(),
  ],
})
export class AppModule {}
