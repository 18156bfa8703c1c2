import { lookup } from 'node:dns/promises';
import type { ConnectionOptions } from 'node:tls';
import type { LocksOptions } from 'zk-locks';
import { formatAddress, parseConnectString } from 'zk-locks/inspect';
import { type Address, type Answer, askServer } from './ask-server.js';
import { type Finding, note, ok, problem } from './finding.js';
import {
  canLoseTransactions,
  readStatus,
  readTickTime,
  type ServerStatus,
} from './server-status.js';

export interface ServersReport {
  readonly findings: readonly Finding[];
  /** Whether every server that answers has no majority, or is read-only. */
  readonly hasNoMajority: boolean;
}

interface Seen {
  readonly name: string;
  readonly status?: ServerStatus;
  readonly findings: readonly Finding[];
}

/** Asks each address of each server for its status. */
export async function askServers(options: LocksOptions, timeoutMs: number): Promise<ServersReport> {
  const { servers } = parseConnectString(options.servers);
  const tls = options.tls === true ? {} : options.tls === false ? undefined : options.tls;
  const ask = (address: Address, name: string): Promise<Seen> =>
    see(address, name, { tls, timeoutMs, tickTimeMs: options.tickTimeMs ?? 0 });
  const seen = (await Promise.all(servers.map((server) => askAll(server, ask)))).flat();
  const statuses = seen.flatMap(({ status }) => status ?? []);
  return {
    findings: [
      ...seen.flatMap(({ findings }) => findings),
      ...compare(statuses, servers.length, seen.length),
    ],
    hasNoMajority: statuses.length > 0 && !statuses.some(isInMajority),
  };
}

async function askAll(
  server: Address,
  ask: (address: Address, name: string) => Promise<Seen>,
): Promise<Seen[]> {
  const name = formatAddress(server);
  try {
    const found = await lookup(server.host, { all: true });
    return await Promise.all(
      found.map(({ address }) => {
        const own = formatAddress({ host: address, port: server.port });
        // The certificate is valid for the name, not for the address.
        return ask(
          found.length > 1 ? { ...server, host: address } : server,
          own === name ? name : `${name} (${address})`,
        );
      }),
    );
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const remedy =
      'Correct the name in --connect (ZK_CONNECT), or the DNS settings of this machine.';
    return [{ name, findings: [problem(name, `its name cannot be resolved (${code})`, remedy)] }];
  }
}

interface Asking {
  readonly tls: ConnectionOptions | undefined;
  readonly timeoutMs: number;
  readonly tickTimeMs: number;
}

async function see(address: Address, name: string, asking: Asking): Promise<Seen> {
  const { tls, timeoutMs } = asking;
  const answer = await askServer(address, 'srvr', tls, timeoutMs);
  const status = 'text' in answer ? readStatus(answer.text) : undefined;
  if (status === undefined || status.kind === 'strange') {
    return { name, findings: [await explainSilence(address, name, answer, asking)] };
  }
  const findings = [describe(name, status, answer)];
  if (status.kind === 'serving') findings.push(...(await compareTick(address, name, asking)));
  return { name, status, findings };
}

function describe(name: string, status: ServerStatus, answer: Answer): Finding {
  switch (status.kind) {
    case 'mute':
      return note(
        name,
        'answers, but does not report its version and mode',
        'Allow this with 4lw.commands.whitelist=srvr in zoo.cfg.',
      );
    case 'serving': {
      const ms = 'ms' in answer ? `, answers in ${Math.ceil(answer.ms)} ms` : '';
      const message = `${status.version}, ${status.mode}${ms}`;
      if (status.mode !== 'read-only') return ok(name, message);
      const remedy =
        'It has no majority: start the other servers, or restore its network connection to them.';
      return problem(name, message, remedy);
    }
    case 'not-serving':
    case 'strange':
      return problem(
        name,
        'does not serve requests: it has no majority, or is starting',
        'Start the other servers, or restore its network connection to them. Its log says which ones it cannot reach.',
      );
  }
}

/** Why a server does not answer: it may require TLS, or not support it. */
async function explainSilence(
  address: Address,
  name: string,
  answer: Answer,
  { tls, timeoutMs }: Asking,
): Promise<Finding> {
  const code = 'error' in answer ? answer.error : 'it ended the connection';
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) {
    const remedy = `Trust it with --tls-ca (ZK_LOCK_TLS_CA), and use the name from the certificate in --connect.`;
    return problem(name, `its certificate is refused (${code})`, remedy);
  }
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    const remedy = 'Start it, or correct its address and port in --connect (ZK_CONNECT).';
    return problem(name, `cannot be reached (${code})`, remedy);
  }
  const other = tls ? undefined : { rejectUnauthorized: false };
  const again = await askServer(address, 'srvr', other, timeoutMs);
  if ('text' in again && (tls === undefined || again.text !== '')) {
    return tls
      ? problem(
          name,
          'does not speak TLS at this port',
          'Use its secureClientPort in --connect, or leave out --tls and --tls-ca (ZK_LOCK_TLS, ZK_LOCK_TLS_CA).',
        )
      : problem(
          name,
          'speaks TLS at this port',
          'Pass --tls (ZK_LOCK_TLS), or use its clientPort.',
        );
  }
  const said = 'text' in answer ? /^[\x20-\x7e]{4,60}/.exec(answer.text)?.[0] : undefined;
  if (said !== undefined) {
    const remedy = 'Correct its address and port in --connect (ZK_CONNECT).';
    return problem(name, `is not a ZooKeeper server: it says "${said}"`, remedy);
  }
  const remedy =
    'Check whether a ZooKeeper server listens there, and whether a firewall is in the way.';
  return problem(name, `does not answer (${code})`, remedy);
}

async function compareTick(
  address: Address,
  name: string,
  { tls, timeoutMs, tickTimeMs }: Asking,
): Promise<Finding[]> {
  const answer = await askServer(address, 'conf', tls, timeoutMs);
  const tick = 'text' in answer ? readTickTime(answer.text) : undefined;
  if (tick === undefined || tick <= tickTimeMs) return [];
  const message = `its tickTime is ${tick} ms, more than the ${tickTimeMs} ms of --tick-time: a holder may be told of a loss too late`;
  const remedy = `Set ZK_LOCK_TICK_TIME=${tick}ms, and tickTimeMs in all programs.`;
  return [problem(name, message, remedy)];
}

function isInMajority(status: ServerStatus): boolean {
  return status.kind === 'mute' || (status.kind === 'serving' && status.mode !== 'read-only');
}

/**
 * Findings that need the answers of all servers.
 *
 * @param names the number of configured servers
 * @param addresses the number of their addresses
 */
function compare(statuses: readonly ServerStatus[], names: number, addresses: number): Finding[] {
  const serving = statuses.filter((status) => status.kind === 'serving');
  const versions = [...new Set(serving.map(({ version }) => version))];
  const findings: Finding[] = [];
  if (versions.length > 1) {
    const message = `they have different versions: ${versions.join(', ')}`;
    findings.push(note('servers', message, 'Finish the upgrade.'));
  }
  const old = versions.filter(canLoseTransactions);
  if (old.length > 0) {
    const message = `${old.join(', ')} can lose committed locks when servers restart at the wrong moment (ZOOKEEPER-4785, 4925)`;
    findings.push(note('servers', message, 'Upgrade to 3.8.5, 3.9.4 or later.'));
  }
  const [only] = serving;
  if (names === 1 && only?.mode === 'standalone') {
    const message = 'there is only one server: when it stops, locks stop';
    findings.push(note('servers', message, 'Run three servers in production.'));
  } else if (addresses === 1 && only) {
    const message = 'only one of several servers is named: when it stops, zk-lock stops';
    findings.push(note('servers', message, 'Name all of them in --connect (ZK_CONNECT).'));
  }
  return findings;
}
