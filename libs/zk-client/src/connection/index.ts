export {
  ANY_VERSION,
  Connection,
  type ConnectionOptions,
  type Created,
  type CreateModeName,
  type CreateOptions,
  OPEN_ACL,
  type WriteOptions,
} from './connection.js';
export { Batching, type BatchingOptions } from './batching/batching.js';
export type { ChannelEnd, ChannelListener } from './channel/channel.js';
export type { SocketOptions, TlsOptions } from './channel/open-socket.js';
export type { SessionCredentials } from './channel/shake-hands.js';
export { whyNotServing } from './channel/why-not-serving.js';
export { RequestError } from './request-error.js';
export {
  type ACL,
  AddWatchMode,
  CreateMode,
  ErrorCode,
  EventType,
  type Id,
  KeeperState,
  type MultiPart,
  type MultiResult,
  OpCode,
  Perms,
  type Stat,
  type WatcherEvent,
  WatcherType,
} from 'zk-protocol';
