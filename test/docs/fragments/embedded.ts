import { EmbeddedZooKeeper } from 'zk-embedded';

await using zk = await EmbeddedZooKeeper.start();
const client = connect(zk.connectString); // 127.0.0.1:41234

declare function connect(servers: string): unknown;

export { client };
