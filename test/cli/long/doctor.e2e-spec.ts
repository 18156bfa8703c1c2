import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificate, speakingTls } from '../../security/support/certificates.js';
import { freePort } from '../../support/free-port.js';
import { InspectClient } from '../../support/inspect-client.js';
import { openEnsemble, openZooKeeper } from '../../support/open-servers.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { runCli } from '../support.js';

/** Creates a root, because doctor writes only below an existing one. */
async function makeRoot(servers: string): Promise<void> {
  await using inspector = await InspectClient.connect(servers);
  await inspector.create('/locks');
}

/**
 * The exit code of `zk-lock doctor`, and the problems and remedies that it reports. On a busy
 * machine, the first handshakes of a server take seconds.
 */
async function examine(servers: string, environment: Readonly<NodeJS.ProcessEnv> = {}) {
  const { code, output, errors } = await runCli(['doctor', '--json'], {
    ...{ ZK_CONNECT: servers, ZK_LOCK_CONNECT_TIMEOUT: '10s', ...environment },
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
  { timeout: 180_000 },
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
    expect(oneDown.said).toMatch(/^write: a write took/m);

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
    expect(readOnly.remedies).toContain('until a majority of them is running');
  },
);

it('compares the clock and the tick', async () => {
  const server = await openZooKeeper({ clockOffsetMs: 3_600_000 });
  await makeRoot(server.connectString);
  const { code, problems, remedies } = await examine(server.connectString, {
    ...{ ZK_LOCK_TICK_TIME: '250ms', ZK_LOCK_SESSION_TIMEOUT: '4s' },
  });
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringMatching(/: its tickTime is 500 ms, more than the 250 ms of --tick-time/),
    expect.stringMatching(/^clock: is (1 h 00 min|59 min \d+ s) behind ZooKeeper's$/),
  ]);
  expect(remedies).toContain('Set ZK_LOCK_TICK_TIME=500ms');
});

it('distinguishes servers that require TLS, servers without TLS, and refused certificates', async () => {
  const folder = makeTempDir('doctor');
  onTestFinished(() => removeTempDir(folder));
  await Promise.all(['server', 'stranger'].map((name) => makeCertificate(folder, name)));
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
});
