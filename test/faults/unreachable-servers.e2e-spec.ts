import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENT_NAMES } from '../../libs/zk-locks/src/options/client-name.js';
import { newLogged } from '../support/locks.js';
import { freePort } from '../support/free-port.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return (await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  )) as Error;
}

/** One of three members, without the others. It serves read-only if that is allowed, or not. */
async function prepareLoneMember(isReadOnly: boolean): Promise<ZooKeeperServer> {
  const lines: [string, string | number][] = [];
  for (const id of [1, 2, 3]) {
    lines.push([`server.${id}`, `127.0.0.1:${await freePort()}:${await freePort()}`]);
  }
  const server = await ZooKeeperServer.prepare({
    id: 1,
    extraConfig: { syncLimit: 5, initLimit: 10, ...Object.fromEntries(lines) },
    systemProperties: { 'readonlymode.enabled': String(isReadOnly) },
  });
  onTestFinished(() => server.stop());
  return server;
}

async function untilReadOnly(server: ZooKeeperServer): Promise<void> {
  server.launch();
  const isReadOnly = async (): Promise<boolean> =>
    (await server.fourLetterWord('srvr').catch(String)).includes('Mode: read-only');
  await waitFor(isReadOnly, { what: 'the server to be read-only', timeoutMs: 60_000 });
}

describe.each(CLIENT_NAMES)('by the client %s', (client) => {
  it('an address where no server listens gives one warning, and the first line of the error has the reason', async () => {
    const servers = `127.0.0.1:${await freePort()}`;
    const { locks, logger } = newLogged({ client, servers, connectTimeoutMs: 4_000 });
    const failure = await failureOf(locks.start());
    expect(failure).toMatchObject({
      code: 'ZK_UNAVAILABLE',
      cause: { code: 'ZK_CONNECTION_LOSS', cause: { code: 'ECONNREFUSED' } },
    });
    expect(String(failure).split('\n')[0]).toContain(
      `ZooKeeper at ${servers} did not grant a session within 4000 ms: connect ECONNREFUSED ${servers}. `,
    );
    expect(logger.of('log', 'warn')).toEqual([
      expect.stringMatching(/^log: Using client /),
      expect.stringMatching(
        new RegExp(`^warn: Cannot connect to .*: connect ECONNREFUSED ${servers}\\. `),
      ),
    ]);
    expect(locks.session.snapshot.state).toEqual({ name: 'closed' });
  });

  it('a program without a connection is told once, after two seconds, what to do', async () => {
    const servers = `127.0.0.1:${await freePort()}`;
    const { locks, logger } = newLogged({ client, servers });
    const began = performance.now();
    await locks.start({ wait: false });
    await waitFor(() => logger.of('error').length > 0, { what: 'the error' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_990);
    expect(logger.of('error')).toEqual([
      `error: No connection to ZooKeeper at ${servers} within 2 s: connect ECONNREFUSED ${servers}. Start ZooKeeper there (for development: npx zk-embedded), or correct the \`servers\` option. In a test, use withEmbeddedZooKeeper() of nestjs-zk-lock/testing. See nestjs-zk-lock/docs/troubleshooting.md#zk_unavailable`,
    ]);
  });

  it('a call for a lock names the reason while no server can decide', async () => {
    const servers = `127.0.0.1:${await freePort()}`;
    const { locks } = newLogged({ client, servers });
    await locks.start({ wait: false });
    await waitFor(() => locks.session.lastFailure, { what: 'a failed attempt' });
    const failure = await failureOf(locks.acquire('k', { timeoutMs: 50 }));
    expect(failure.message).toMatch(/the write lock "k" within 50 ms: connect ECONNREFUSED /);
    const inspection = await failureOf(locks.tryAcquire('k'));
    expect(inspection.message).toMatch(/the write lock "k" at once: connect ECONNREFUSED /);
  });
});

it('a read-only server is named as such; a server that appears gives one more warning', async () => {
  const server = await prepareLoneMember(true);
  const servers = server.connectString;
  const readOnly = `${servers} is read-only: there is no majority`;
  const all = CLIENT_NAMES.map((client) => {
    const opened = newLogged({ client, servers, connectTimeoutMs: 60_000 });
    return { ...opened, client, failing: failureOf(opened.locks.start()) };
  });
  for (const { logger, client } of all) {
    await waitFor(() => logger.of('warn').length === 1, { what: `the first warning (${client})` });
    expect(logger.of('warn')[0]).toContain('ECONNREFUSED');
  }
  await untilReadOnly(server);
  for (const { locks, logger, client, failing } of all) {
    await waitFor(() => logger.of('warn').some((line) => line.includes(readOnly)), {
      what: `the warning that it is read-only (${client})`,
    });
    await locks.close();
    expect(await failing).toMatchObject({ code: 'ZK_CLOSED' });
    for (const reason of ['ECONNREFUSED', readOnly]) {
      expect(logger.of('warn').filter((line) => line.includes(reason))).toHaveLength(1);
    }
  }
  await expectFailure(servers, `: ${readOnly}. `, readOnly);
}, 90_000);

it('a server without a majority that may not be read-only says that it does not serve', async () => {
  const server = await prepareLoneMember(false);
  server.launch();
  const isThere = async (): Promise<boolean> =>
    (await server.fourLetterWord('srvr').catch(String)).includes('not currently serving');
  await waitFor(isThere, { what: 'the server', timeoutMs: 60_000 });
  const servers = server.connectString;
  const reason = ' does not serve: there is no majority, ';
  await expectFailure(servers, `: ${servers}${reason}`, reason);
}, 90_000);

/** With each client, the error gives the reason, and a warning says it once. */
async function expectFailure(servers: string, told: string, warned: string): Promise<void> {
  await Promise.all(
    CLIENT_NAMES.map(async (client) => {
      const { locks, logger } = newLogged({ client, servers, connectTimeoutMs: 5_000 });
      const failure = await failureOf(locks.start());
      expect(failure.message).toContain(`did not grant a session within 5000 ms${told}`);
      expect(failure).toMatchObject({ cause: { code: 'ZK_CONNECTION_LOSS' } });
      expect(logger.of('warn')).toEqual([expect.stringContaining(warned)]);
    }),
  );
}
