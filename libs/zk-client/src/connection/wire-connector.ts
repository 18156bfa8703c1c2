import {
  believableTimeoutMs,
  type ConnectRequest,
  type ZooKeeperClient,
  type ZooKeeperConnector,
} from '../port/zookeeper-client.js';
import { Batching } from './batching/batching.js';
import { tlsFor, type TlsOptions } from './channel/open-socket.js';
import { Connection } from './connection.js';

/**
 * Room for the names of a million contenders; a longer list is refused to those who asked for it.
 */
const MAX_FRAME_BYTES = 64 * 1_048_576;

/** Opens connections without native code: they work in every thread, and support TLS. */
export class WireConnector implements ZooKeeperConnector {
  readonly #tls: TlsOptions | undefined;
  readonly #batching = new Batching();

  /** @param tls uses TLS with these options of `node:tls` */
  constructor(tls?: TlsOptions) {
    this.#tls = tls;
  }

  get description(): string {
    return `client "wire" (zk-client${this.#tls ? ', TLS' : ''})`;
  }

  load(): void {
    // Needs nothing that could be missing.
  }

  connect({ address, ...request }: ConnectRequest): Promise<ZooKeeperClient> {
    const { host, port, name = host } = address;
    return Connection.open({
      ...request,
      ...{ host, port },
      tls: this.#tls && tlsFor(name, this.#tls),
      maxSessionTimeoutMs: believableTimeoutMs(Infinity, request.sessionTimeoutMs),
      maxFrameBytes: MAX_FRAME_BYTES,
      batching: this.#batching,
    });
  }
}
