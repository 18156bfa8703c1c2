import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { WarehouseModule } from './warehouse.module.js';
import { ZOOKEEPER, type ZooKeeper, ZooKeeperModule } from './zookeeper.module.js';

@Module({
  imports: [
    ZkLockModule.forRootAsync({
      isGlobal: true,
      imports: [ZooKeeperModule],
      inject: [ZOOKEEPER],
      useFactory: ({ connectString }: ZooKeeper) => ({ servers: connectString }),
    }),
    WarehouseModule,
  ],
})
export class AppModule {}
