import { ZkLockModule } from 'nestjs-zk-lock';

declare class ConfigService {
  getOrThrow(name: string): string;
}

export const fromSettings = () =>
  ZkLockModule.forRootAsync({
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({ servers: config.getOrThrow('ZK_CONNECT') }),
  });
