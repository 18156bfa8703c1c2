import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';

@Module({
  imports: [
    ZkLockModule.forRoot({ servers: process.env.ZK_CONNECT ?? '127.0.0.1:2181', client: 'native' }),
  ],
})
export class AppModule {}
