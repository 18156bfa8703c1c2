import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { readSettings } from './settings.js';

/** A server that is already there has no `stop`: it is not ours to end. */
export interface ZooKeeper {
  readonly connectString: string;
  readonly stop?: () => Promise<void>;
}

export const ZOOKEEPER = Symbol('ZOOKEEPER');

/** The ZooKeeper at `ZK_CONNECT`, or one inside this process, which ends after the locks' session. */
@Global()
@Module({
  providers: [
    {
      provide: ZOOKEEPER,
      useFactory: (): ZooKeeper | Promise<ZooKeeper> => {
        const { zkConnect } = readSettings(process.env);
        return zkConnect === undefined ? EmbeddedZooKeeper.start() : { connectString: zkConnect };
      },
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
