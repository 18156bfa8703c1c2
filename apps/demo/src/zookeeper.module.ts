import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { SettingsModule } from './settings.module.js';
import { Settings } from './settings.js';

/** A server that is already there has no `stop`: it is not ours to end. */
export interface ZooKeeper {
  readonly connectString: string;
  readonly stop?: () => Promise<void>;
}

/** Short: a server ends a session up to two ticks after its timeout. */
const TICK_TIME_MS = 500;

export const ZOOKEEPER = Symbol('ZOOKEEPER');

/**
 * The ZooKeeper at `ZK_CONNECT`, or one inside this process. It is global and imported before
 * `ZkLockModule`, which is global as well, so Nest closes the session first and ends the server after that.
 */
@Global()
@Module({
  imports: [SettingsModule],
  providers: [
    {
      provide: ZOOKEEPER,
      inject: [Settings],
      useFactory: ({ zkConnect }: Settings): ZooKeeper | Promise<ZooKeeper> =>
        zkConnect === undefined
          ? EmbeddedZooKeeper.start({ tickTimeMs: TICK_TIME_MS })
          : { connectString: zkConnect },
    },
  ],
  exports: [ZOOKEEPER],
})
export class ZooKeeperModule implements OnApplicationShutdown {
  constructor(@Inject(ZOOKEEPER) private readonly zookeeper: ZooKeeper) {}

  async onApplicationShutdown(): Promise<void> {
    await this.zookeeper.stop?.();
  }
}
