import { Connection, type ConnectionOptions } from 'zk-client';

/** A client without locks, such as an operator or an outsider. */
export function connect(
  port: number,
  options: Partial<Omit<ConnectionOptions, 'port'>> = {},
): Promise<Connection> {
  return Connection.open({
    host: '127.0.0.1',
    port,
    sessionTimeoutMs: 10_000,
    listener: { onNode: () => undefined, onEnd: () => undefined },
    ...options,
  });
}
