import { describe, expect, it, onTestFinished } from 'vitest';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { Cli, runCli, startCli, withServer } from './support.js';

describe('zk-lock hold', () => {
  it('holds the lock for its time, and says so to programs', async () => {
    const { code, output } = await runCli(['hold', 'a', '--for', '10ms', '--json'], {
      ZK_LOCK_ROOT: ownRoot(),
    });
    expect(code).toBe(0);
    const token = expect.stringMatching(/^\d+$/) as string;
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const own = { key: 'a', mode: 'write', token, at };
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { event: 'held', ...own },
      { event: 'released', ...own },
    ]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('releases it on %s', async (signal) => {
    const root = ownRoot();
    const locks = await openLocks({ root, tickTimeMs: 500 });
    const cli = startCli(['hold', 'a'], { ZK_LOCK_ROOT: root });
    await cli.says(/^holding "a" \(write\) with token \d+\n$/);
    cli.signal(signal);
    expect(await cli.exit()).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(cli.output).toMatch(/\nreleased "a"\n$/);
    await (await locks.acquire('a', { timeoutMs: 0 })).release();
  });
});

it('zk-lock hold holds the lock for its time even if its output is closed', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root, tickTimeMs: 500 });
  const cli = startCli(['hold', 'a', '--for', '500ms'], { ZK_LOCK_ROOT: root });
  cli.stopReading();
  expect(await cli.exit()).toBe(0);
  await (await locks.acquire('a', { timeoutMs: 0 })).release();
});

it('reports a full disk in plain words', async () => {
  const cli = new Cli(['ls'], withServer({ ZK_LOCK_ROOT: ownRoot() }), (program) => [
    ...['sh', '-c', 'exec "$@" > /dev/full', 'sh', ...program],
  ]);
  onTestFinished(() => cli.end());
  expect(await cli.exit()).toBe(125);
  expect(cli.errors).toBe('zk-lock: Standard output cannot be written (ENOSPC).\n');
});

describe('zk-lock revoke', () => {
  it('asks holders to release a lock: hold does, and run sends its command the signal', async () => {
    const environment = { ZK_LOCK_ROOT: ownRoot() };
    const holder = startCli(['hold', 'a'], environment);
    const script = 'trap "exit 4" HUP; echo ready; while :; do sleep 0.05; done';
    const runner = startCli(
      ['run', 'b', '--revoke-signal', 'hup', '--', 'sh', '-c', script],
      environment,
    );
    await Promise.all([holder.says('holding'), runner.says('ready')]);
    const asked = await runCli(['revoke', 'a'], environment);
    expect(asked).toMatchObject({ code: 0, output: 'asked 1 holder to release it\n' });
    expect(await holder.exit()).toBe(0);
    expect(holder.output).toContain('released "a" (revoked)\n');
    const json = await runCli(['revoke', 'b', '--json'], environment);
    expect(json.output).toBe('{"key":"b","asked":1}\n');
    expect(await runner.exit()).toBe(4);
    expect(runner.errors).toContain(
      'Another process has asked for "b": sending SIGHUP to the command.',
    );
    const free = await runCli(['revoke', 'a'], environment);
    expect(free).toMatchObject({ code: 0, output: '"a" has no holder\n' });
  });

  it('says which node holds a lock and would not notice the request', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const node = '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__0000000000';
    for (const path of ['', '/a']) await inspector.create(root + path);
    await inspector.create(`${root}/a/${node}`, 'Maintenance until noon. Anna');
    const { code, output } = await runCli(['revoke', 'a'], { ZK_LOCK_ROOT: root });
    expect({ code, output }).toEqual({
      code: 0,
      output: `asked no holder: ${node} holds "a", and no process would notice the request\n`,
    });
    const left = await inspector.get(`${root}/a/${node}`);
    expect(left.data.toString()).toBe('Maintenance until noon. Anna');
    await inspector.delete(`${root}/a/${node}`);
  });
});

describe('zk-lock elect', () => {
  it('says what prevents it from getting its lock, and keeps trying', async () => {
    const root = ownRoot();
    const locks = await openLocks({ root, tickTimeMs: 500 });
    const permit = await locks.semaphore('gpu', { permits: 1 }).acquire();
    const cli = startCli(['elect', 'gpu', '--', 'true'], { ZK_LOCK_ROOT: root });
    await cli.says(
      /^zk-lock: Cannot queue up to lead "gpu"; trying again: \/\S+ contains nodes that are not locks of .* with --permits; locks need another key\.$/m,
    );
    cli.signal('SIGTERM');
    expect(await cli.exit()).toBe(143);
    await permit.release();
  });

  it('runs the command on one machine at a time, and on the next one when the first is gone', async () => {
    const root = ownRoot();
    const script = 'echo "leads $ZK_LOCK_KEY $ZK_LOCK_MODE"; read _; exit 6';
    const args = ['elect', 'boss', '--label', 'web', '--', 'sh', '-c', script];
    const first = startCli(args, { ZK_LOCK_ROOT: root });
    await first.says('leads boss write\n');
    const second = startCli(args, { ZK_LOCK_ROOT: root, ZK_LOCK_APPLICATION: 'second' });
    const locks = await openLocks({ root, tickTimeMs: 500 });
    await waitFor(
      async () => (await locks.inspect('boss')).waiters[0]?.holder?.application === 'second',
      { what: 'the second one to wait' },
    );
    expect(second.output).toBe('');
    first.type('\n');
    expect(await first.exit()).toBe(6);
    await second.says('leads boss write\n');
    second.signal('SIGTERM');
    expect(await second.exit()).toBe(143);
  });
});
