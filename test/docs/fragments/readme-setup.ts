import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';

@Module({
  imports: [ZkLockModule.forRoot({ servers: 'zk1:2181,zk2:2181,zk3:2181', isGlobal: true })],
})
export class AppModule {}

declare class ConfigService {
  getOrThrow(name: string): string;
}

export const fromSettings = () =>
  ZkLockModule.forRootAsync({
    isGlobal: true,
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({ servers: config.getOrThrow('ZK_CONNECT') }),
  });
