import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';

@Module({
  imports: [
    ZkLockModule.forRoot({
      servers: process.env.ZK_CONNECT ?? '127.0.0.1:2181', // e.g. 'zk1:2181,zk2:2181,zk3:2181'
    }),
  ],
})
export class AppModule {}
