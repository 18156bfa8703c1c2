import { describe, expect, it } from 'vitest';
import { Gate } from '../nest/support/gate.js';
import {
  lossOf,
  openInspector,
  openLocks,
  ownRoot,
  type TestLocks,
  untilWaiting,
} from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { runCli, startCli } from './support.js';

/** A key with markup and escape sequences, as any program may choose. */
const HOSTILE = 'a\u001B[31mred\u202E<b>';

/** Opens holders and waiters. */
async function openCrowd(): Promise<{ root: string; locks: TestLocks; others: TestLocks }> {
  const root = ownRoot();
  const [locks, others] = await Promise.all([
    openLocks({ root, application: 'billing', tickTimeMs: 500 }),
    openLocks({ root, application: 'shop\u001B[2J', tickTimeMs: 500 }),
  ]);
  return { root, locks, others };
}

const linesOf = (output: string): string[] => output.trimEnd().split('\n');

const jsonOf = (output: string): Record<string, unknown>[] =>
  linesOf(output).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('zk-lock ls', () => {
  it('lists keys with how they are held, by whom, and how many wait', async () => {
    const { root, locks, others } = await openCrowd();
    const held = await locks.acquire('order:1', { label: 'ship it' });
    const waiting = others.acquire('order:1');
    const readers = await Promise.all(
      [locks, others].map((each) => each.acquire('order:2', { mode: 'read' })),
    );
    const permit = await locks.semaphore('gpu', { permits: 4 }).acquire();
    const hostile = await others.acquire(HOSTILE);
    await untilWaiting(others);
    const environment = { ZK_LOCK_ROOT: root };
    const [all, some, old, json] = await Promise.all([
      runCli(['ls'], environment),
      runCli(['ls', 'order:', '--busy'], environment),
      runCli(['ls', '--older', '1h'], environment),
      runCli(['ls', 'order:1', '--json'], environment),
    ]);
    const row = (output: string, key: string) =>
      linesOf(output).find((line) => line.startsWith(key));
    expect(row(all.output, 'order:1')).toMatch(
      /^order:1 +write +\d+ s +1 +billing on \S+ \(pid \d+\) "ship it"$/,
    );
    expect(row(all.output, 'order:2')).toMatch(/^order:2 +2 read +\d+ s +0 +.* and 1 more$/);
    expect(row(all.output, 'gpu')).toMatch(/^gpu +1 of 4 permits +\d+ s +0 +billing on/);
    expect(row(all.output, 'a')).toContain(String.raw`a\u{1b}[31mred\u{202e}<b>`);
    expect(all.output).not.toMatch(/[\u001B\u202E]/);
    expect(linesOf(some.output).map((line) => line.split(' ')[0])).toEqual([
      ...['KEY', 'order:1', 'order:2'],
    ]);
    expect(linesOf(old.output)).toHaveLength(1);
    expect(jsonOf(json.output)).toMatchObject([
      {
        key: 'order:1',
        kind: 'lock',
        waiting: 1,
        problems: [],
        holders: [
          { mode: 'write', token: String(held.fencingToken), holder: { label: 'ship it' } },
        ],
      },
    ]);
    expect(json.output).not.toContain('session');
    await Promise.all([held, permit, hostile, ...readers].map((each) => each.release()));
    await (await waiting).release();
  });
});

describe('zk-lock show', () => {
  it('shows holders with their tokens, and the queue in its order', async () => {
    const { root, locks, others } = await openCrowd();
    const held = await locks.acquire('order:1');
    const waiting = [others.acquire('order:1', { label: 'first' })];
    await untilWaiting(others, 1);
    waiting.push(others.acquire('order:1', { mode: 'read' }));
    await untilWaiting(others, 2);
    const environment = { ZK_LOCK_ROOT: root };
    const [text, json, none] = await Promise.all([
      runCli(['show', 'order:1'], environment),
      runCli(['show', 'order:1', '--json'], environment),
      runCli(['show', 'order:7'], environment),
    ]);
    const [head, , ...rows] = linesOf(text.output);
    expect(head).toBe('order:1: write, 2 waiting');
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^holds  write .* ${held.fencingToken}  billing on `)),
      expect.stringMatching(
        /^1 +write .*shop\\u\{1b\}\[2J on \S+ \(pid \d+\) "first" +_c_\S+-__WRIT__0000000001$/,
      ),
      expect.stringMatching(/^2 +read /),
    ]);
    expect(jsonOf(json.output)).toMatchObject([
      {
        key: 'order:1',
        holders: [{ mode: 'write' }],
        waiters: [{ mode: 'write' }, { mode: 'read' }],
      },
    ]);
    expect(none).toMatchObject({ code: 1, output: '"order:7" is not in use\n' });
    await held.release();
    for (const lock of waiting) await (await lock).release();
  });
});

it('ls, show and watch call an election by its name', async () => {
  const { root, locks, others } = await openCrowd();
  const environment = { ZK_LOCK_ROOT: root };
  const election = locks.election('scheduler');
  await election.whenLeader();
  others.election('scheduler');
  await untilWaiting(others);
  const [list, shown, json] = await Promise.all([
    runCli(['ls'], environment),
    runCli(['show', 'scheduler'], environment),
    runCli(['ls', '--json'], environment),
  ]);
  expect(list.output).toMatch(/^scheduler +election +\d+ s +1 +billing on /m);
  expect(linesOf(shown.output)).toEqual([
    'scheduler: election, 1 waiting',
    expect.stringMatching(/^PLACE +MODE/),
    expect.stringMatching(/^holds +election /),
    expect.stringMatching(/^1 +election /),
  ]);
  expect(jsonOf(json.output)).toMatchObject([{ key: 'scheduler', kind: 'election' }]);
  const cli = startCli(['watch'], environment);
  await cli.says(/holds +scheduler +election +billing/);
  cli.signal('SIGINT');
  await cli.exit();
});

describe('zk-lock jobs', () => {
  it('lists jobs with their last run, its outcome, when they are due, and who holds them', async () => {
    const { root, locks, others } = await openCrowd();
    const environment = { ZK_LOCK_ROOT: root };
    const inspector = await openInspector();
    await locks.runAtMostEvery('nightly', 86_400_000, () => undefined);
    const failing = locks.runAtMostEvery('billing', 60_000, () => {
      throw new Error('of the job');
    });
    await expect(failing).rejects.toThrow('of the job');
    const recordOf = async (key: string) =>
      JSON.parse((await inspector.get(`${root}-runs/${key}`)).data.toString()) as {
        askedAt: number;
      };
    const nightly = { ...(await recordOf('nightly')), tookMs: 120 };
    await inspector.set(`${root}-runs/nightly`, JSON.stringify(nightly));
    const died = await recordOf('billing');
    const long = { ...died, askedAt: died.askedAt - 180_000, outcome: 'running' };
    await inspector.create(`${root}-runs/died`, JSON.stringify(long));
    const lock = await locks.acquire('order:1');
    const gate = new Gate();
    const running = others.runAtMostEvery('export', 3_600_000, () => gate.pass());
    const outcome = async () => (await locks.lastRun('export'))?.outcome;
    await waitFor(async () => (await outcome()) === 'running', { what: 'the run to begin' });

    const [text, some, json, shown] = await Promise.all([
      runCli(['jobs'], environment),
      runCli(['jobs', 'night'], environment),
      runCli(['jobs', '--json'], environment),
      runCli(['show', 'nightly'], environment),
    ]);
    gate.open();
    await running;
    await lock.release();
    expect(linesOf(text.output)).toEqual([
      expect.stringMatching(/^JOB +EVERY +LAST RUN +OUTCOME +NEXT +HELD BY$/),
      expect.stringMatching(/^billing +1 min 00 s +\d+ s ago +failed +due in \d+ s +-$/),
      expect.stringMatching(/^died +1 min 00 s +3 min \d\d s ago +died +due for 2 min \d\d s +-$/),
      expect.stringMatching(
        /^export +1 h 00 min +\d+ s ago +running +due in 59 min \d+ s +shop.* on /,
      ),
      expect.stringMatching(/^nightly +24 h 00 min +\d+ s ago +done +due in 23 h 59 min +-$/),
    ]);
    expect(linesOf(some.output)).toHaveLength(2);
    expect(jsonOf(json.output)).toMatchObject([
      { key: 'billing', outcome: 'failed', everyMs: 60_000, application: 'billing', holders: [] },
      { key: 'died', outcome: 'died' },
      { key: 'export', outcome: 'running', holders: [{ mode: 'write' }] },
      { key: 'nightly', outcome: 'done' },
    ]);
    expect(shown.output).toMatch(
      /^last run: done, \d+ s ago, by billing on .*, took 120 ms; every 24 h 00 min, due in 23 h 59 min$/m,
    );
  });
});

describe('zk-lock watch', () => {
  it('prints holders and waiters as they come and go', async () => {
    const { root, locks, others } = await openCrowd();
    const held = await locks.acquire('order:1');
    const cli = startCli(['watch', 'order:1', '--json'], { ZK_LOCK_ROOT: root });
    await cli.says('"event":"holds"');
    const giveUp = new AbortController();
    const given = others.acquire('order:1', { signal: giveUp.signal }).catch(() => 'gave up');
    await cli.says('"event":"waits"');
    giveUp.abort();
    await cli.says('"event":"left"');
    await held.release();
    await cli.says('"event":"released"');
    expect(await given).toBe('gave up');
    cli.signal('SIGINT');
    expect(await cli.exit()).toBe(130);
    expect(jsonOf(cli.output).map(({ event, key }) => [event, key])).toEqual([
      ...[
        ['holds', 'order:1'],
        ['waits', 'order:1'],
        ['left', 'order:1'],
        ['released', 'order:1'],
      ],
    ]);
    expect(jsonOf(cli.output)[0]).toMatchObject({ token: String(held.fencingToken) });
  });

  it('with --live also says how long each wait and each hold has lasted', async () => {
    const { root, locks, others } = await openCrowd();
    const cli = startCli(['watch', 'order:1', '--live', '--json'], { ZK_LOCK_ROOT: root });
    await cli.says('"event":"looking"');
    const held = await locks.acquire('order:1');
    await cli.says('"event":"granted"');
    const next = others.acquire('order:1');
    await cli.says('"event":"asked"');
    await held.release();
    await cli.says(/"event":"granted"[^]*"event":"granted"/);
    await (await next).release();
    cli.signal('SIGINT');
    expect(await cli.exit()).toBe(130);
    const events = jsonOf(cli.output).map(({ event }) => event);
    expect(events.slice(0, 3)).toEqual(['looking', 'granted', 'asked']);
    const [, granted, , ended] = jsonOf(cli.output);
    expect(granted).toMatchObject({ token: String(held.fencingToken), waiting: 0 });
    expect(ended).toMatchObject({
      token: String(held.fencingToken),
      ms: expect.any(Number) as number,
    });
  });

  it.each([[[]], [['--live']]])(
    'says when the connection is lost, and when it is back (%j)',
    async (flags) => {
      const { root, locks } = await openCrowd();
      const proxy = await openProxy();
      const held = await locks.acquire('order:1');
      const environment = { ZK_LOCK_ROOT: root, ZK_CONNECT: proxy.connectString };
      const cli = startCli(['watch', '--json', ...flags], environment);
      await cli.says(flags.length === 0 ? '"event":"holds"' : '"event":"looking"');
      await proxy.refuse();
      await proxy.cut();
      await cli.says('The connection to ZooKeeper is lost. Changes are printed when it is back.');
      await proxy.accept();
      await cli.says('Connected to ZooKeeper again.');
      await held.release();
      await cli.says(/"event":"(released|gone)"/);
      cli.signal('SIGINT');
      expect(await cli.exit()).toBe(130);
      expect(linesOf(cli.errors)).toHaveLength(2);
    },
  );
});

describe('zk-lock break', () => {
  it('takes the lock from the process with the node and the token, and from no other', async () => {
    const { root, locks } = await openCrowd();
    const environment = { ZK_LOCK_ROOT: root };
    const held = await locks.acquire('order:1');
    const token = String(held.fencingToken);
    const node = / (_c_\S+)$/m.exec((await runCli(['show', 'order:1'], environment)).output)![1]!;
    const args = ['break', 'order:1', '--node', node, '--token', token];
    const [unsure, noToken, noNode, otherToken, otherNode] = await Promise.all([
      runCli(args, environment),
      runCli(['break', 'order:1', '--node', node, '--yes'], environment),
      runCli(['break', 'order:1', '--token', token, '--yes'], environment),
      runCli(['break', 'order:1', '--node', node, '--token', '1', '--yes'], environment),
      runCli(['break', 'order:1', '--node', `${node}1`, '--token', token, '--yes'], environment),
    ]);
    expect([unsure.code, noToken.code, noNode.code]).toEqual([64, 64, 64]);
    expect(unsure.errors).toContain('Nothing was done');
    expect(noToken.errors).toContain('--token is missing');
    expect(noNode.errors).toContain('--node is missing');
    expect([otherToken.code, otherNode.code]).toEqual([1, 1]);
    expect(otherToken.errors).toContain(
      `The lock "order:1" was not broken: the token of node ${node} is ${token}, not 1.`,
    );
    expect(otherNode.errors).toContain(`there is no node ${node}1 now`);
    expect(held.isHeld).toBe(true);
    const { code, output } = await runCli([...args, '--yes', '--json'], environment);
    expect({ code, ...jsonOf(output)[0] }).toMatchObject({ code: 0, event: 'broken', token });
    expect(await lossOf(held)).toMatchObject({
      reason: 'broken',
      brokenBy: { application: 'zk-lock' },
    });
    expect(held.isHeld).toBe(false);
    await held.release();
  });

  it('accepts keys as they are shown, even those with invisible characters', async () => {
    const { root, locks } = await openCrowd();
    const environment = { ZK_LOCK_ROOT: root };
    // The second key looks like the escaped form of the first.
    const keys = ['a\nb\u202e', String.raw`a\u{a}b\u{202e}`];
    const held = await Promise.all(keys.map((key) => locks.acquire(key)));
    const { output } = await runCli(['ls', 'a'], environment);
    const shown = [String.raw`a\u{a}b\u{202e}`, String.raw`a\u{5c}u{a}b\u{5c}u{202e}`];
    expect(linesOf(output).map((line) => line.split(' ')[0])).toEqual(['KEY', ...shown]);
    for (const [index, key] of shown.entries()) {
      const json = await runCli(['show', key, '--json'], environment);
      const { key: found, holders } = jsonOf(json.output)[0] as {
        key: string;
        holders: [{ node: string; token: string }];
      };
      expect(found).toBe(keys[index]);
      const [{ node, token }] = holders;
      const args = ['break', key, '--node', node, '--token', token, '--yes'];
      const { code, errors, output: told } = await runCli(args, environment);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      expect(told).toContain(`"${key}"`);
      expect(await lossOf(held[index]!)).toMatchObject({ reason: 'broken' });
      expect(held.map(({ isHeld }) => isHeld)).toEqual([false, index === 0]);
    }
    for (const each of held) await each.release();
  });
});
