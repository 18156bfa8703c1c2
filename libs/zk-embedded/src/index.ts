export { EmbeddedZooKeeper } from './embedded-zookeeper.js';
export type { RestartOptions, SessionInfo } from './embedded-server.js';
export type { FaultOperation } from './faults.js';
export type { EmbeddedZooKeeperOptions } from './options.js';
