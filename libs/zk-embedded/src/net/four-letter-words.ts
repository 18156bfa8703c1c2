import { formatId } from '../format-id.js';
import type { ClientConnection } from './client-connection.js';
import type { ServerCore } from './server-core.js';

/** The version that this server reports; some clients read the numbers. */
export const VERSION = '3.8.5-embedded, built on 1970-01-01 00:00 UTC';

/**
 * The commands that are answered in text (the "four letter words" of ZooKeeper's Administrator's
 * Guide), in the format of a real server.
 */
const WORDS = {
  ruok: () => 'imok',
  isro: () => 'rw',
  envi: () => lines('Environment:', `zookeeper.version=${VERSION}`),
  srvr: (core) => lines(`Zookeeper version: ${VERSION}`, ...summary(core)),
  stat: (core) =>
    lines(
      `Zookeeper version: ${VERSION}`,
      'Clients:',
      ...connections(core).map((connection) => `${brief(connection)})`),
      '',
      ...summary(core),
    ),
  mntr: (core) =>
    lines(...Object.entries(metrics(core)).map(([name, value]) => `zk_${name}\t${value}`)),
  wchs: ({ watches: { data } }) =>
    lines(
      `${data.watchers.size} connections watching ${data.paths.size} paths`,
      `Total watches:${data.size}`,
    ),
  wchc: ({ watches: { data } }) =>
    lines(
      ...[...data.watchers].flatMap(([watcher, paths]) => [
        sessionOf(watcher),
        ...[...paths].map((path) => `\t${path}`),
      ]),
      '',
    ),
  wchp: ({ watches: { data } }) =>
    lines(
      ...[...data.paths].flatMap(([path, watchers]) => [
        path,
        ...[...watchers.keys()].map((watcher) => `\t${sessionOf(watcher)}`),
      ]),
      '',
    ),
  cons: (core) => lines(...connections(core).map(detailed), ''),
  conf: ({ options }) =>
    lines(
      `clientPort=${options.port}`,
      `tickTime=${options.tickTimeMs}`,
      `maxClientCnxns=${options.maxClientConnections}`,
      `minSessionTimeout=${options.minSessionTimeoutMs}`,
      `maxSessionTimeout=${options.maxSessionTimeoutMs}`,
    ),
  dump: (core) => lines(...dump(core)),
} as const satisfies Record<string, (core: ServerCore) => string>;

export type FourLetterWord = keyof typeof WORDS;

export function isFourLetterWord(text: string): text is FourLetterWord {
  return Object.hasOwn(WORDS, text);
}

export function answerWord(word: FourLetterWord, core: ServerCore): string {
  return WORDS[word](core);
}

function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function connections(core: ServerCore): ClientConnection[] {
  return [...core.connections];
}

function traffic(core: ServerCore): { received: number; sent: number } {
  const total = { received: core.pastTraffic.received, sent: core.pastTraffic.sent };
  for (const { traffic: own } of core.connections) {
    total.received += own.received;
    total.sent += own.sent;
  }
  return total;
}

function summary(core: ServerCore): string[] {
  const { received, sent } = traffic(core);
  return [
    'Latency min/avg/max: 0/0.0/0',
    `Received: ${received}`,
    `Sent: ${sent}`,
    `Connections: ${core.connections.size}`,
    'Outstanding: 0',
    `Zxid: ${formatId(core.database.lastZxid)}`,
    'Mode: standalone',
    `Node count: ${core.database.tree.size}`,
  ];
}

function metrics(core: ServerCore): Record<string, string | number> {
  const { received, sent } = traffic(core);
  const { tree, sessions } = core.database;
  const ephemerals = [...tree.ephemerals()].reduce((sum, [, paths]) => sum + paths.size, 0);
  return {
    version: VERSION,
    server_state: 'standalone',
    packets_received: received,
    packets_sent: sent,
    num_alive_connections: core.connections.size,
    outstanding_requests: 0,
    min_latency: 0,
    avg_latency: '0.0',
    max_latency: 0,
    uptime: Math.floor(performance.now() - core.startedAt),
    znode_count: tree.size,
    watch_count: core.watches.data.size + core.watches.children.size,
    ephemerals_count: ephemerals,
    approximate_data_size: tree.dataBytes,
    global_sessions: sessions.size,
  };
}

function brief({
  remoteAddress,
  remotePort,
  traffic: { received, sent },
}: ClientConnection): string {
  return ` /${remoteAddress}:${remotePort}[1](queued=0,recved=${received},sent=${sent}`;
}

function detailed(connection: ClientConnection): string {
  const { session, traffic: own, establishedAt } = connection;
  const start = brief(connection);
  if (!session) return `${start})`;
  const fields = {
    sid: formatId(session.id),
    lop: own.lastOperation,
    est: establishedAt,
    to: session.timeoutMs,
    ...(own.lastXid < 0 ? {} : { lcxid: formatId(BigInt(own.lastXid)) }),
    lzxid: formatId(own.lastZxid),
    lresp: Math.floor(own.lastReplyAt),
    ...{ llat: 0, minlat: 0, avglat: 0, maxlat: 0 },
  };
  const list = Object.entries(fields).map(([name, value]) => `,${name}=${value}`);
  return `${start}${list.join('')})`;
}

function sessionOf(watcher: unknown): string {
  return formatId((watcher as ClientConnection).session?.id ?? 0n);
}

function dump({ database: { sessions, tree }, connections: open }: ServerCore): string[] {
  const all = [...sessions];
  const owners = [...tree.ephemerals()];
  return [
    'SessionTracker dump:',
    `Session Sets (${all.length})/(${all.length}):`,
    ...all.map(({ id }) => `\t${formatId(id)}`),
    'ephemeral nodes dump:',
    `Sessions with Ephemerals (${owners.length}):`,
    ...owners.flatMap(([id, paths]) => [
      `${formatId(id)}:`,
      ...[...paths].map((path) => `\t${path}`),
    ]),
    'Connections dump:',
    `Connections Sets (${open.size})/(${open.size}):`,
    ...[...open].map((connection) => `\t${detailed(connection).trim()}`),
  ];
}
