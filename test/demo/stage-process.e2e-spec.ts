import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownProgram } from '../support/own-process.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { answers, firstView, ownTempDir, pageOf, startDemo, useDemo } from './demo-process.js';

const ownServer = /^ZooKeeper: embedded in this process at (\S+);/m;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the process of npm start', () => {
  const demo = useDemo();

  it('accepts no requests from pages of other sites', async () => {
    const post = async (path: string, body: object, site: string): Promise<number> => {
      const headers = {
        'content-type': 'application/json',
        'sec-fetch-site': site,
        connection: 'close',
      };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${demo.url}/stage/${path}`, request)).status;
    };
    expect(await post('fail', { fault: 'kill' }, 'cross-site')).toBe(403);
    expect(await post('sell', { kind: 'locked' }, 'cross-site')).toBe(403);
    expect(await post('restore', {}, 'same-site')).toBe(403);
    expect(await post('fail', { fault: 'burn' }, 'same-origin')).toBe(400);
    expect(await post('restore', {}, 'same-origin')).toBe(204);
  });

  it('says in one line that its port is in use, and ends its ZooKeeper', async () => {
    const own = ownTempDir();
    const { port: PORT } = new URL(demo.url);
    const second = startDemo('main', { PORT, TMPDIR: own });

    expect(await second.outcome()).toEqual({ code: 1, signal: null });
    expect(second.errors).toBe(
      `Port ${PORT} is in use. Set PORT to another port, or to 0 for any free one.\n`,
    );
    expect(readdirSync(own)).toEqual(['nestjs-zk-lock-demo.jsonl']);
  });

  it('starts a ZooKeeper and two replicas, and ends them on SIGINT', async () => {
    const { stage, url, folder } = demo;
    const zookeeper = await stage.said(ownServer);
    const headers = { connection: 'close' };
    const page = await fetch(url, { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    const { replicas } = await firstView(url);
    expect(replicas).toMatchObject([
      { name: 'A', state: 'running', session: 'connected' },
      { name: 'B', state: 'running', session: 'connected' },
    ]);
    const pids = replicas.map(({ pid }) => pid!);
    expect(pids.map(isRunning)).toEqual([true, true]);
    const board = await stage.said(/^Lock board: (\S+)$/m);
    expect((await fetch(`${board}/overview`, { headers })).status).toBe(200);

    stage.signal('SIGINT');

    expect(await stage.outcome()).toEqual({ code: null, signal: 'SIGINT' });
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(await answers(zookeeper)).toBe(false);
    expect(readdirSync(folder)).toEqual(['nestjs-zk-lock-demo.jsonl']);
    expect(stage.stdout).not.toContain('Lost the connection');
    expect(stage.errors).toBe('');
  });

  it('leaves no replica behind when it is killed', async () => {
    const stage = startDemo('main', { TMPDIR: ownTempDir() });
    const { replicas } = await firstView(await pageOf(stage));
    stage.signal('SIGKILL');
    await stage.outcome();
    await waitFor(() => replicas.every(({ pid }) => !isRunning(pid!)), { what: 'their end' });
  });

  it('leaves no replica behind when it is killed while that starts', async () => {
    const [program] = ownProgram('apps/demo/dist/box-office.js').slice(-1);
    const env = { ...process.env, PORT: '0', ZK_CONNECT: sharedServer().connectString };
    const state = join(ownTempDir(), 'sales.jsonl');
    const replica = fork(program!, { env: { ...env, DEMO_STATE: state }, silent: true });
    onTestFinished(() => void replica.kill('SIGKILL'));
    replica.disconnect();
    await waitFor(() => replica.signalCode, { what: 'the end of the replica' });
    expect(replica.signalCode).toBe('SIGTERM');
  });

  it('refuses what it cannot use, in one line', async () => {
    const settings = [
      ['PORT', '65536', /^PORT is "65536"/],
      ['ZK_CONNECT', 'a b', /"a b", which is not a host and port/],
      ['DEMO_STATE', '/dev/null/sales', /^DEMO_STATE cannot be used: ENOTDIR/],
    ] as const;
    const own = ownTempDir();
    await Promise.all(
      settings.map(async ([name, value, line]) => {
        const refused = startDemo('main', { TMPDIR: own, [name]: value });
        expect(await refused.outcome(), name).toEqual({ code: 1, signal: null });
        expect(refused.stdout).toBe('');
        expect(refused.errors).toMatch(line);
        expect(refused.errors.trim().split('\n')).toHaveLength(1);
      }),
    );
    expect(readdirSync(own)).toEqual([]);
  });
});
