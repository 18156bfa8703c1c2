import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Locks } from 'zk-locks';
import { makeCertificate, speakingTls } from '../../security/support/certificates.js';
import { freePort } from '../../support/free-port.js';
import { InspectClient } from '../../support/inspect-client.js';
import { openEnsemble, openZooKeeper } from '../../support/open-servers.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { run } from '../cli-process.js';

/** The root of locks that have been used: doctor writes below a root that exists. */
async function makeRoot(servers: string): Promise<void> {
  await using inspector = await InspectClient.connect(servers);
  await inspector.create('/locks');
}

/** What `zk-lock doctor` says of these servers: its exit code, and its problems with their remedies. */
async function examine(servers: string, environment: Readonly<NodeJS.ProcessEnv> = {}) {
  const { code, output, errors } = await run(['doctor', '--json'], {
    ...{ ZK_CONNECT: servers, ZK_LOCK_CONNECT_TIMEOUT: '2s', ...environment },
  });
  expect(errors).toBe('');
  const findings = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<'level' | 'about' | 'message' | 'remedy', string>);
  const problems = findings.filter(({ level }) => level === 'problem');
  for (const { remedy } of problems) expect(remedy).toMatch(/\w/);
  return {
    code,
    said: findings.map(({ about, message }) => `${about}: ${message}`).join('\n'),
    problems: problems.map(({ about, message }) => `${about}: ${message}`),
    remedies: problems.map(({ remedy }) => remedy).join('\n'),
  };
}

it(
  'examines an ensemble: healthy, with one server down, and read-only without a majority',
  { timeout: 120_000 },
  async () => {
    const ensemble = await openEnsemble({ systemProperties: { 'readonlymode.enabled': 'true' } });
    const servers = ensemble.connectString;
    await makeRoot(servers);
    const healthy = await examine(servers);
    expect(healthy).toMatchObject({ code: 0, problems: [] });
    expect(healthy.said.match(/: \d\.\d\.\d, follower, answers/g)).toHaveLength(2);
    expect(healthy.said).toMatch(/: \d\.\d\.\d, leader, answers/);

    const [first, second] = await ensemble.followers();
    await first!.kill();
    const oneDown = await examine(servers);
    expect(oneDown.code).toBe(1);
    expect(oneDown.problems).toEqual([
      `127.0.0.1:${first!.port}: cannot be reached (ECONNREFUSED)`,
    ]);
    expect(oneDown.said).toMatch(/^write: a quorum took/m);

    await second!.kill();
    const last = ensemble.members.find(({ isRunning }) => isRunning)!;
    await waitFor(async () => (await last.fourLetterWord('srvr')).includes('Mode: read-only'), {
      ...{ what: 'the last server to be read-only', timeoutMs: 60_000 },
    });
    const readOnly = await examine(servers);
    expect(readOnly.code).toBe(1);
    expect(readOnly.problems).toContainEqual(
      expect.stringMatching(new RegExp(`^127.0.0.1:${last.port}: .*, read-only`)),
    );
    expect(readOnly.problems.at(-1)).toMatch(/^session: /);
    expect(readOnly.remedies).toContain('until a majority of them runs');
  },
);

it('names a server without a majority that does not serve', { timeout: 60_000 }, async () => {
  const ports = [await freePort(), await freePort()];
  const [others] = [
    [2, 3].map((id) => [`server.${id}`, `127.0.0.1:${ports[id - 2]}:${ports[id - 2]! + 1}`]),
  ];
  const own = await freePort();
  const extraConfig = {
    ...{ initLimit: 10, syncLimit: 5, 'server.1': `127.0.0.1:${own}:${await freePort()}` },
    ...(Object.fromEntries(others) as Record<string, string>),
  };
  const lone = await ZooKeeperServer.prepare({ id: 1, extraConfig });
  onTestFinished(() => lone.stop());
  lone.launch();
  await waitFor(async () => (await lone.fourLetterWord('srvr')).includes('not currently serving'), {
    ...{ what: 'the lone server to answer', timeoutMs: 30_000 },
  });
  const { code, problems, remedies } = await examine(lone.connectString);
  expect(code).toBe(1);
  expect(problems[0]).toBe(
    `${lone.connectString}: does not serve: it has no majority, or is starting`,
  );
  expect(remedies).toContain('Bring back servers until a majority of them runs.');
});

it('compares the clock and the tick', { timeout: 60_000 }, async () => {
  const server = await openZooKeeper({ clockOffsetMs: 3_600_000 });
  await makeRoot(server.connectString);
  const { code, problems, remedies } = await examine(server.connectString, {
    ...{ ZK_LOCK_TICK_TIME: '250ms', ZK_LOCK_SESSION_TIMEOUT: '4s' },
  });
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringMatching(/: its tickTime is 500 ms, more than the 250 ms of --tick-time/),
    expect.stringMatching(/^clock: is (1h|59m \d+s) behind ZooKeeper's$/),
  ]);
  expect(remedies).toContain('Set ZK_LOCK_TICK_TIME=500ms');
});

it('sees a counter near its end', { timeout: 60_000 }, async () => {
  const server = await openZooKeeper();
  {
    await using setUp = await InspectClient.connect(server.connectString);
    for (const path of ['/locks', '/locks/order:1']) await setUp.create(path);
  }
  await server.setNextSequences({ '/locks/order:1': 2_100_000_000 });
  const locks = new Locks({ servers: server.connectString, tickTimeMs: 500 });
  onTestFinished(() => locks.close());
  await locks.start();
  await using _ = await locks.acquire('order:1');
  const { code, problems, remedies } = await examine(server.connectString);
  expect(code).toBe(1);
  expect(problems).toEqual([
    'key "order:1": The sequence counter of its directory is at 2100000000; at 2147483647 all calls are refused.',
  ]);
  expect(remedies).toContain('(zkCli.sh delete /locks/order:1)');
});

it(
  'tells servers that want TLS from those that have none, and certificates that are refused',
  { timeout: 60_000 },
  async () => {
    const folder = makeTempDir('doctor');
    onTestFinished(() => removeTempDir(folder));
    for (const name of ['server', 'stranger']) await makeCertificate(folder, name);
    const secure = await freePort();
    const server = await openZooKeeper({
      extraConfig: speakingTls(folder, secure),
    });
    const trust = (name: string): NodeJS.ProcessEnv => ({
      ZK_LOCK_TLS_CA: join(folder, `${name}.pem`),
    });
    const [plain, wrongPort, stranger] = await Promise.all([
      examine(`127.0.0.1:${secure}`),
      examine(server.connectString, trust('server')),
      examine(`127.0.0.1:${secure}`, trust('stranger')),
    ]);
    expect(plain.problems[0]).toBe(`127.0.0.1:${secure}: speaks TLS at this port`);
    expect(plain.remedies).toContain('Pass --tls (ZK_LOCK_TLS)');
    expect(wrongPort.problems[0]).toBe(`${server.connectString}: does not speak TLS at this port`);
    expect(stranger.problems[0]).toMatch(/: its certificate is refused \(\w+\)$/);
    expect(stranger.remedies).toContain('--tls-ca (ZK_LOCK_TLS_CA)');
  },
);
