import { join } from 'node:path';

/** Options for servers that run for a few seconds only. */
export const QUICK_JAVA: readonly string[] = [
  ...['-Xmx128m', '-XX:+UseSerialGC'],
  ...['-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'],
];

/** The command that runs one ZooKeeper server, and its arguments. */
export function zooKeeperCommand(
  configFile: string,
  systemProperties: Readonly<Record<string, string>>,
  javaOptions: readonly string[],
): string[] {
  return [
    'java',
    ...javaOptions,
    ...Object.entries(systemProperties).map(([name, value]) => `-D${name}=${value}`),
    '-cp',
    zooKeeperClassPath(),
    'org.apache.zookeeper.server.quorum.QuorumPeerMain',
    configFile,
  ];
}

/** A distribution unpacked at ZOOKEEPER_HOME, or else the jars of Debian's package `zookeeper`. */
export function zooKeeperClassPath(): string {
  const home = process.env.ZOOKEEPER_HOME;
  if (home) return join(home, 'lib', '*');
  // The manifest of zookeeper.jar names its dependencies, except a logger and the TLS libraries.
  const jars = ['zookeeper', 'slf4j-simple', 'netty-codec', 'netty-handler', 'commons-cli'];
  return jars.map((name) => `/usr/share/java/${name}.jar`).join(':');
}
