import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { OrderService } from './order.service.js';

@Module({
  imports: [
    ZkLockModule.forRootAsync({
      useFactory: () => ({ servers: process.env.ZK_CONNECT!, dialect: 'single-node' }),
    }),
  ],
  providers: [OrderService],
})
export class WithOneNodeModule {}
