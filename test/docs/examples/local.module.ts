import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';

@Module({
  imports: [
    ZkLockModule.forRoot({ servers: process.env.ZK_CONNECT ?? '127.0.0.1:2181' }),
    ZkLockBoardModule.forRoot({ guards: 'none' }), // http://localhost:3000/locks
  ],
})
export class LocalModule {}
