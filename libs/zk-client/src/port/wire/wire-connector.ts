import { Batching, Connection, type TlsOptions } from '../../connection/index.js';
import { tlsFor } from '../../connection/channel/open-socket.js';
import { formatAddress } from '../connect-string.js';
import {
  believableTimeoutMs,
  type ConnectRequest,
  type SessionCredentials,
  type ZooKeeperClient,
  type ZooKeeperConnector,
} from '../zookeeper-client.js';
import { explained, WireClient } from './wire-client.js';
import { WireListener } from './wire-listener.js';

/**
 * Room for the names of a million contenders; a longer list ends the connection that asked for it.
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

  async connect(request: ConnectRequest): Promise<ZooKeeperClient> {
    const { address, session, sessionTimeoutMs, connectTimeoutMs, over } = request;
    const server = formatAddress(address);
    const listener = new WireListener(request.listener);
    const connection = await explained('connect', server, () =>
      Connection.open({
        host: address.host,
        port: address.port,
        tls: this.#tls && tlsFor(address.name ?? address.host, this.#tls),
        ...(session && { session: decodeCredentials(session) }),
        sessionTimeoutMs,
        maxSessionTimeoutMs: believableTimeoutMs(Infinity, sessionTimeoutMs),
        connectTimeoutMs,
        over,
        maxFrameBytes: MAX_FRAME_BYTES,
        batching: this.#batching,
        listener,
      }),
    );
    return new WireClient(connection, server, listener);
  }
}

function decodeCredentials({ id, password }: SessionCredentials): { id: bigint; password: Buffer } {
  return { id: BigInt.asIntN(64, BigInt(`0x${id}`)), password: Buffer.from(password, 'hex') };
}
