import type { ClientName, DialectName } from 'nestjs-zk-lock';

/** The setup of the servers and replicas of a stage. All times are in milliseconds. */
export interface Configuration {
  readonly client: ClientName;
  /** Of the locks: a queue of nodes, or one node for which all compete. */
  readonly dialect: Extract<DialectName, 'curator-rw' | 'single-node'>;
  /** The servers' `tickTime`. */
  readonly tickTimeMs: number;
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** The session timeout that replicas ask for. */
  readonly sessionTimeoutMs: number;
  readonly initLimit: number;
  /** In ticks. A follower that is cut off serves reads for this long. */
  readonly syncLimit: number;
  /** A fourth server without a vote, and the server that it follows. */
  readonly observer: 'none' | 'of the leader' | 'of a follower';
  /** Whether sessions are local to their server until they create an ephemeral node. */
  readonly localSessions: boolean;
  /** Whether members can be removed and added. Links between such servers cannot be frozen. */
  readonly reconfigurable: boolean;
  readonly forceSync: boolean;
  /** The number of transactions between two snapshots of a server. */
  readonly snapCount: number;
  /** Whether two of the three replicas hand locks on within their process. */
  readonly cohorts: boolean;
  /** How long these two keep a lock that is not used; 0 for not at all. */
  readonly keepMs: number;
}

/** The configuration of most services, with times that are short enough for tests. */
export const USUAL: Configuration = {
  client: 'native',
  dialect: 'curator-rw',
  tickTimeMs: 500,
  minSessionTimeoutMs: 1_000,
  maxSessionTimeoutMs: 40_000,
  sessionTimeoutMs: 2_000,
  initLimit: 20,
  syncLimit: 20,
  observer: 'none',
  localSessions: false,
  reconfigurable: false,
  forceSync: false,
  snapCount: 100_000,
  cohorts: true,
  keepMs: 500,
};

/** The timeout that the servers grant to a session. */
export function grantedTimeoutMs({
  sessionTimeoutMs,
  minSessionTimeoutMs,
  maxSessionTimeoutMs,
}: Configuration): number {
  return Math.min(Math.max(sessionTimeoutMs, minSessionTimeoutMs), maxSessionTimeoutMs);
}

/** The replicas' option `tickTimeMs`: reports of an observer behind a follower take two hops. */
export function reportTickMs({ tickTimeMs, observer }: Configuration): number {
  return observer === 'of a follower' ? 2 * tickTimeMs : tickTimeMs;
}

/** The margin of every session timeout, and three heartbeats of the rest. */
const MARGIN = 1 / 20;
const THREE_HEARTBEATS = 3 / 10;

/** Whether locks can be held by a session: whether its lease is longer than three heartbeat intervals. */
export function fits(timeoutMs: number, tickTimeMs: number): boolean {
  return timeoutMs * (1 - MARGIN) - tickTimeMs / 2 >= timeoutMs * THREE_HEARTBEATS;
}

/** The longest `marginMs` with which locks can be held by a session; 0 if no margin fits. */
export function longestMarginMs(timeoutMs: number, tickTimeMs: number): number {
  const leftMs = timeoutMs * (1 - MARGIN - THREE_HEARTBEATS) - tickTimeMs / 2;
  return Math.max(0, Math.floor(leftMs));
}

/**
 * The longest `marginMs` that is also valid while the servers grant half the timeout; 0 if none is.
 */
export function marginOf(configuration: Configuration): number {
  return longestMarginMs(grantedTimeoutMs(configuration) / 2, reportTickMs(configuration));
}

function keptFor({ keepMs }: Configuration): string[] {
  return keepMs > 0 ? [`locks kept for ${keepMs}`] : [];
}

/** The configuration in one readable line. */
export function describeConfiguration(configuration: Configuration): string {
  const { client, tickTimeMs, minSessionTimeoutMs, maxSessionTimeoutMs } = configuration;
  const { sessionTimeoutMs, initLimit, syncLimit, observer, snapCount } = configuration;
  const granted = grantedTimeoutMs(configuration);
  return [
    `client ${client}`,
    ...(configuration.dialect === 'single-node' ? ['locks of one node'] : []),
    `tick ${tickTimeMs}`,
    `sessions ${granted}${granted === sessionTimeoutMs ? '' : ` (asked for ${sessionTimeoutMs})`}`,
    `limits ${minSessionTimeoutMs} to ${maxSessionTimeoutMs}`,
    `initLimit ${initLimit}`,
    `syncLimit ${syncLimit}`,
    ...(observer === 'none' ? [] : [`an observer ${observer}`]),
    ...(configuration.localSessions ? ['local sessions'] : []),
    ...(configuration.reconfigurable ? ['reconfigurable'] : []),
    ...(configuration.forceSync ? ['forceSync'] : []),
    ...(snapCount < USUAL.snapCount ? [`a snapshot every ${snapCount}`] : []),
    ...(configuration.cohorts ? keptFor(configuration) : ['no cohorts']),
  ].join(', ');
}
