import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { CLIENT_NAMES } from '../../libs/zk-locks/src/options/client-name.js';
import { makeCertificate, speakingTls } from '../security/support/certificates.js';
import { freePort } from '../support/free-port.js';
import { newLogged } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { startSaslServer } from '../support/sasl-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

type Options = Partial<LocksOptions> & { servers: string };

/** Resolves once `reason` was logged and is named by the error of a call. Returns that error. */
async function toldBy(options: Options, reason: string): Promise<string> {
  // An attempt that hangs is given up after a third of the session timeout.
  const { locks, logger } = newLogged({ sessionTimeoutMs: 6_000, ...options });
  await locks.start({ wait: false });
  const isLogged = (): boolean => logger.of('warn').some((line) => line.includes(reason));
  await waitFor(isLogged, { what: `a warning with "${reason}"` });
  const failure: unknown = await locks
    .acquire('k', { timeoutMs: 50 })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'ZK_UNAVAILABLE' });
  const { message } = failure as Error;
  expect(message).toContain(reason);
  return message;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let plain: string;
let secure: string;
let ca: Buffer;

beforeAll(async () => {
  const folder = makeTempDir('wrong-servers');
  await makeCertificate(folder, 'server');
  ca = readFileSync(join(folder, 'server.pem'));
  const port = await freePort();
  const server = await ZooKeeperServer.start({
    extraConfig: speakingTls(folder, port),
  });
  [plain, secure] = [server.connectString, `127.0.0.1:${port}`];
  return async () => {
    await server.stop();
    removeTempDir(folder);
  };
});

describe.each(CLIENT_NAMES)('by the client %s', (client) => {
  it('an HTTP server is named as such', async () => {
    const servers = await listen(createHttpServer((_, response) => response.end()));
    await toldBy({ servers, client }, `${servers} is an HTTP server, not ZooKeeper`);
  });

  it('a port that speaks TLS is named as such', async () => {
    await toldBy({ servers: secure, client }, `${secure} speaks TLS at this port`);
  });
});

it('a server that speaks another protocol is quoted', async () => {
  const ssh = createServer((socket) => {
    socket.on('error', () => undefined).write('SSH-2.0-OpenSSH_9.6\r\n');
  });
  const servers = await listen(ssh);
  const reason = `${servers} is not a ZooKeeper server: it says "SSH-2.0-OpenSSH_9.6"`;
  await toldBy({ servers, client: 'wire' }, reason);
});

it.each([
  ['with Netty', () => plain],
  ['with NIO', () => sharedServer().connectString],
])('a port without TLS is named as such to a client with TLS, %s', async (_, address) => {
  const servers = address();
  const reason = `${servers} does not speak TLS at this port`;
  await toldBy({ servers, tls: { ca }, client: 'wire' }, reason);
});

const credentials = { username: 'billing', password: 'guessed-0815', scheme: 'sasl' } as const;

it('a server without SASL says so, and the credentials are what to check', async () => {
  const servers = sharedServer().connectString;
  const message = await toldBy(
    { servers, credentials, client: 'wire' },
    'The server does not support SASL',
  );
  expect(message).toContain('billing (sasl)');
  expect(message).toContain('Check the `credentials` option');
  expect(message).not.toMatch(/guessed|can be reached/);
});

it('a program whose credentials are refused is told after two seconds to check them, not to start a server', async () => {
  const { locks, logger } = newLogged({ credentials, client: 'wire' });
  await locks.start({ wait: false });
  await waitFor(() => logger.of('error').length > 0, { what: 'the error' });
  expect(logger.of('error')).toEqual([
    expect.stringMatching(
      /within 2 s: .* does not support SASL\. .*"digest"\. Check the `credentials` option, and the users that the servers know\. See /,
    ),
  ]);
});

it('a wrong password of SASL names its user, and the credentials are what to check', async () => {
  const server = await startSaslServer({ billing: 'right' });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const servers = `127.0.0.1:${server.port}`;
  const message = await toldBy({ servers, credentials, client: 'wire' }, 'authentication failed');
  expect(message).toContain('billing (sasl)');
  expect(message).toContain('Check the `credentials` option');
  expect(message).not.toMatch(/guessed|can be reached/);
});
