import { guardLogger, LOGGER, silentLogger, type ZkLockLogger } from '../logger.js';
import {
  resolveConnection,
  SESSION_DEFAULTS,
  type SessionSettings,
  TLS_HINTS,
} from '../options/client-options.js';
import { checkValue, methods, object, readChecked, type Schema } from '../option.js';
import { checkOption, SESSION_OPTIONS } from '../options/table.js';
import type { ZooKeeperConnector } from '../port/zookeeper-client.js';
import { WireConnector } from '../connection/wire-connector.js';
import { Session } from '../session/session.js';
import { untilConnected } from '../session/wait.js';
import { UserPaths } from './transaction-options.js';
import { ZkClient } from './zk-client.js';
import { Znodes } from './znodes.js';

/** How long `close` waits for the session's end, in milliseconds. */
const FAREWELL_MS = 1_000;

export interface ConnectOptions extends SessionSettings {
  /** Receives log lines about the session. @default none */
  logger?: ZkLockLogger | undefined;
  /**
   * Another adapter, such as `new NativeConnector()` of `zk-client/native`, which supports neither
   * TLS nor SASL.
   * @default the package's own connection
   */
  connector?: ZooKeeperConnector | undefined;
}

const CONNECT: Schema<ConnectOptions> = {
  ...SESSION_OPTIONS,
  logger: LOGGER,
  connector: methods(['load', 'connect'], 'Pass new NativeConnector(), or omit it.'),
};

/** A {@link ZkClient} with a session of its own. */
export class ConnectedZkClient extends ZkClient {
  #closed: Promise<void> | undefined;

  /** Use {@link connect} to create one. */
  constructor(
    znodes: Znodes,
    private readonly end: () => Promise<void>,
  ) {
    super(znodes);
  }

  /**
   * Ends the session, which deletes its ephemeral znodes. If no server answers within a second, they
   * stay until the session expires. Calls that were not sent yet reject, and so do later ones. Never
   * rejects.
   */
  close(): Promise<void> {
    this.#closed ??= this.end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Begins a session, which is kept alive over any number of connections, and replaced by a new one
 * when it is lost.
 *
 * @example
 * ```ts
 * const zk = await connect({ servers: 'localhost:2181' });
 * await zk.create('/config', 'dark');
 * zk.onChange('/config', ({ type }) => console.log(type));
 * await zk.close();
 * ```
 *
 * @throws {ZooKeeperUnavailableError} when there is no session within `connectTimeoutMs`
 * @throws {ZkLockConfigError} naming the option at fault
 */
export async function connect(options: ConnectOptions): Promise<ConnectedZkClient> {
  checkValue('options', options, object('Pass at least { servers }.'));
  const given = readChecked(options, CONNECT, { hints: TLS_HINTS });
  checkOption('servers', given.servers);
  const { logger: givenLogger, connector, ...settings } = { ...SESSION_DEFAULTS, ...given };
  const logger = givenLogger ? guardLogger(givenLogger) : silentLogger;
  const connection = resolveConnection(settings, (tls) => {
    checkValue('tls', tls, {
      expected: 'omitted with a `connector`, which connects by itself',
      accepts: () => tls === undefined || connector === undefined,
      finding: () => undefined,
      remedy: 'Omit one of them.',
    });
    return connector ?? new WireConnector(tls);
  });
  for (const line of connection.exposures) logger.warn(line);
  const { connectTimeoutMs } = settings;
  const isInUse = (): boolean => znodes.ephemerals.areThere;
  const session: Session = new Session({ ...settings, ...connection, isInUse }, logger);
  const userPaths = new UserPaths(connection.connectString.chroot);
  const znodes = new Znodes(session, userPaths, connectTimeoutMs);
  const close = async (): Promise<void> => {
    znodes.close();
    await session.close({ timeoutMs: FAREWELL_MS });
  };
  try {
    session.start();
    await untilConnected(session, connectTimeoutMs, '');
  } catch (error) {
    await close();
    throw error;
  }
  return new ConnectedZkClient(znodes, close);
}
