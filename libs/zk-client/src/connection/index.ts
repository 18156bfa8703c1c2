export { Batching, type BatchingOptions } from './batching/batching.js';
export type { SocketOptions, TlsOptions } from './channel/open-socket.js';
export { Connection, type ConnectionOptions } from './connection.js';
