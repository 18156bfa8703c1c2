import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { connect } from '../support/connect.js';
import { codeIn } from '../support/documentation.js';
import { freePort } from '../support/free-port.js';
import { openLocks, TestLocks } from '../support/locks.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { HOST, makeCertificate, speakingTls, UNDERSCORED_HOST } from './support/certificates.js';
import { credentials } from './support/place.js';

let folder: string;
let securePort: number;

beforeAll(async () => {
  folder = makeTempDir('tls');
  securePort = await freePort();
  await Promise.all(['server', 'stranger'].map((name) => makeCertificate(folder, name)));
  const server = await ZooKeeperServer.start({
    extraConfig: speakingTls(folder, securePort),
  });
  return async () => {
    await server.stop();
    removeTempDir(folder);
  };
});

/** Runs stunnel with the configuration of the documentation, in which these values are replaced. */
async function startStunnel(values: Readonly<Record<string, string>>) {
  const port = await freePort();
  const page = new URL('../../docs/security.md', import.meta.url);
  const documented = codeIn(page).find((code) => code.includes('[zookeeper]')) ?? '';
  const set: Record<string, string> = {
    accept: `127.0.0.1:${port}`,
    connect: `127.0.0.1:${securePort}`,
    CAfile: join(folder, 'server.pem'),
    ...values,
  };
  const config = documented.replaceAll(/^(\w+) = .*$/gm, (line, name: string) =>
    set[name] === undefined ? line : `${name} = ${set[name]}`,
  );
  const file = join(folder, `stunnel-${port}.conf`);
  writeFileSync(file, config);
  const child = spawn('stunnel', [file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  await waitFor(() => log.includes('Configuration successful'), { what: 'stunnel' });
  return { servers: `127.0.0.1:${port}`, log: () => log };
}

it('takes locks through the stunnel of the documentation', async () => {
  const stunnel = await startStunnel({});
  const a = await openLocks({ servers: stunnel.servers, credentials });
  const b = await openLocks({ servers: stunnel.servers, credentials });
  const lock = await a.acquire('k');
  expect(await b.tryAcquire('k')).toBeNull();
  const waiting = b.acquire('k');
  await lock.release();
  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
  await next.release();
  expect(stunnel.log()).toContain('Certificate accepted');
});

it.each([
  ['is signed by a stranger', { CAfile: 'stranger.pem' }],
  ['is for another host', { checkHost: 'other.example.com' }],
])('reaches no server whose certificate %s', async (_, values) => {
  const stunnel = await startStunnel(
    'CAfile' in values ? { CAfile: join(folder, values.CAfile) } : values,
  );
  const locks = await openUnconnected({ servers: stunnel.servers });
  await waitFor(() => stunnel.log().includes('certificate verify failed'), {
    what: 'the refusal',
    timeoutMs: 30_000,
  });
  await expect(locks.tryAcquire('k')).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
});

/** Opens locks that keep trying to connect. */
async function openUnconnected(options: LocksOptions): Promise<TestLocks> {
  const locks = new TestLocks(options);
  onTestFinished(() => locks.close());
  await locks.start({ wait: false });
  return locks;
}

/** Options of the only client that supports TLS, which expects the name in the certificate. */
function tlsOptions(ca: string, servername = HOST) {
  const tls = { ca: readFileSync(join(folder, ca)), servername };
  const servers = `127.0.0.1:${securePort}`;
  return { servers, credentials, tls, client: 'wire' } as const;
}

it('takes locks through TLS without stunnel', async () => {
  const a = await openLocks(tlsOptions('server.pem'));
  const b = await openLocks(tlsOptions('server.pem'));
  const lock = await a.acquire('k');
  expect(await b.tryAcquire('k')).toBeNull();
  await lock.release();
  await using next = await b.acquire('k');
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
});

it.each([
  ['is signed by a stranger', () => tlsOptions('stranger.pem'), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [
    'is for another host',
    () => tlsOptions('server.pem', 'other.example.com'),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
])('reaches no server through TLS whose certificate %s, and says so', async (_, options, code) => {
  const locks = await openUnconnected(options());
  // The first handshakes of a busy server take longer than an attempt to connect.
  const isNamed = async (): Promise<boolean> => {
    const failure: unknown = await locks.tryAcquire('k').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ZK_UNAVAILABLE', cause: { cause: { code } } });
    return true;
  };
  await waitFor(isNamed, { what: code, timeoutMs: 30_000 });
});

/** Connects to a server whose name can be resolved. */
async function connectTo(host: string, servername?: string): Promise<void> {
  const ca = readFileSync(join(folder, 'server.pem'));
  const lookup: LookupFunction = (_, { all }, found) =>
    all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4);
  const connection = await connect(securePort, {
    host,
    tls: { ca, lookup, ...(servername && { servername }) },
  });
  await connection.close();
}

it.each<[string, string, string?]>([
  ['a final dot', `${HOST}.`],
  ['an underscore', UNDERSCORED_HOST],
  ['an underscore, and whose certificate is for the given `servername`', 'zoo_2', HOST],
])('reaches a server through TLS whose name has %s', (_, host, servername) =>
  connectTo(host, servername),
);

it('reaches no server through TLS whose certificate is for another host with an underscore', async () => {
  await expect(connectTo('zoo_2')).rejects.toMatchObject({
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
});
