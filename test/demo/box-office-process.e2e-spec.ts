import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openInspector, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { answers, ownTempDir, startDemo, urlOf } from './demo-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const ownServer = /^ZooKeeper: embedded in this process at (\S+);/m;

describe('a box office process', () => {
  it.each(SIGNALS)('starts a ZooKeeper of its own, and ends it on %s', async (signal) => {
    const folder = ownTempDir();
    const boxOffice = startDemo('main', { TMPDIR: folder });
    const url = await urlOf(boxOffice);
    const zookeeper = await boxOffice.said(ownServer);
    expect((await fetch(`${url}/shows/hamlet/tickets`, { method: 'POST' })).status).toBe(201);
    expect(await answers(zookeeper)).toBe(true);
    const board = await boxOffice.said(/^Lock board: (\S+)$/m);
    const overview = await fetch(`${board}/overview`, { headers: { connection: 'close' } });
    expect(await overview.json()).toMatchObject({ totals: { keys: 1 }, problems: [] });

    const asked = performance.now();
    boxOffice.signal(signal);

    expect(await boxOffice.outcome()).toEqual({ code: null, signal });
    expect(performance.now() - asked).toBeLessThan(4_000);
    expect(await answers(zookeeper)).toBe(false);
    expect(readdirSync(folder)).toEqual(['nestjs-zk-lock-demo.jsonl']);
    expect(boxOffice.stderr).toBe('');
  });

  it('refuses waiters and lets the holder finish when it is told to end', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const ZK_CONNECT = sharedServer().connectString + root;
    const boxOffice = startDemo('main', { ZK_CONNECT, TMPDIR: ownTempDir() });
    const url = await urlOf(boxOffice);
    // A kept-alive connection delays the end of Node's HTTP server by five seconds.
    const request = { method: 'POST', headers: { connection: 'close' } };
    const audit = fetch(`${url}/shows/hamlet/audit`, request);
    const lockNodes = async (): Promise<string[]> =>
      (await inspector.tree(root)).filter((path) => /__(READ|WRIT)__/.test(path));
    await waitFor(async () => (await lockNodes()).length === 1, { what: 'the audit to begin' });
    const purchase = fetch(`${url}/shows/hamlet/tickets`, request);
    await waitFor(async () => (await lockNodes()).length === 2, { what: 'a waiting buyer' });

    const asked = performance.now();
    boxOffice.signal('SIGTERM');

    expect((await purchase).status).toBe(503);
    expect(performance.now() - asked).toBeLessThan(1_500);
    expect((await audit).status).toBe(200);
    expect(await boxOffice.outcome()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(performance.now() - asked).toBeLessThan(4_000);
    expect(await lockNodes()).toEqual([]);
  });

  it.each([
    ['PORT', 'abc', /^PORT is "abc"/],
    ['PORT', '-1', /^PORT is "-1"/],
    ['PORT', '65536', /^PORT is "65536"/],
    ['ZK_CONNECT', 'a b', /"a b", which is not a host and port/],
    ['DEMO_STATE', '/dev/null/sales', /^DEMO_STATE cannot be used: ENOTDIR/],
  ])('refuses %s=%s in one line', async (name, value, line) => {
    const folder = ownTempDir();
    const boxOffice = startDemo('main', { TMPDIR: folder, [name]: value });

    expect(await boxOffice.outcome()).toEqual({ code: 1, signal: null });
    expect(boxOffice.stdout).toBe('');
    expect(boxOffice.stderr).toMatch(line);
    expect(boxOffice.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says in one line that its port is in use, and ends its ZooKeeper', async () => {
    const folder = ownTempDir();
    const PORT = new URL(await urlOf(startDemo('main', { TMPDIR: ownTempDir() }))).port;
    const second = startDemo('main', { PORT, TMPDIR: folder });

    expect(await second.outcome()).toEqual({ code: 1, signal: null });
    expect(second.stderr).toBe(
      `Port ${PORT} is in use. Set PORT to another one, or to 0 for any that is free.\n`,
    );
    expect(readdirSync(folder)).toEqual(['nestjs-zk-lock-demo.jsonl']);
  });
});
