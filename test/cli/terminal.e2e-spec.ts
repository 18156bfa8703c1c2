import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocks, ownRoot } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { Cli, SHORT_SESSION, withServer } from './support.js';

const CTRL_C = '\u0003';
const CTRL_Z = '\u001A';

/** Prints facts about its terminal, and uses it. */
const SCRIPT = `
  test -t 0 && test -t 1 && test -t 2 && echo 'has a terminal'
  read line && echo "got <$line>"
  (exec 3</dev/tty) 2>/dev/null && echo 'opens /dev/tty' || echo 'has no /dev/tty'
  trap 'echo stopping; exit 3' INT
  echo ready
  while :; do sleep 0.05; done`;

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** `zk-lock` on a separate terminal, created by script(1). The test types on it. */
function onTerminal(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv>,
  columns = 80,
): Cli {
  const cli = new Cli(args, withServer({ TERM: 'xterm', ...environment }), (program) => {
    const line = `stty cols ${columns} rows 24; exec ${program.map(quote).join(' ')}`;
    return ['script', '-qec', line, '/dev/null'];
  });
  onTestFinished(() => cli.end());
  return cli;
}

describe('zk-lock run on a terminal', () => {
  it.each([
    { flags: [], tty: 'has no /dev/tty' },
    { flags: ['--foreground'], tty: 'opens /dev/tty' },
  ])('hands it on with $flags: typed lines, Ctrl-C, and not Ctrl-Z', async ({ flags, tty }) => {
    const args = ['run', 'a', ...flags, '--', 'sh', '-c', SCRIPT];
    const cli = onTerminal(args, { ZK_LOCK_ROOT: ownRoot() });
    await cli.says('has a terminal');
    cli.type('typed\n');
    await cli.says('got <typed>');
    await cli.says(tty);
    await cli.says('ready');
    cli.type(CTRL_Z);
    await cli.says('zk-lock: Not stopped: a process that is stopped cannot keep its lock.');
    cli.type(CTRL_C);
    await cli.says('stopping');
    expect(await cli.exit()).toBe(3);
  });

  it('says while it waits who holds the lock, and its place in the queue', async () => {
    const root = ownRoot();
    const locks = await openLocks({ root, application: 'billing\u001B[31m', tickTimeMs: 500 });
    const lock = await locks.acquire('a');
    const cli = onTerminal(['run', 'a', '--', 'echo', 'started'], { ZK_LOCK_ROOT: root });
    await cli.says(/zk-lock: waiting for "a": 1st of 1 in the queue; held for \d+ s by billing/);
    expect(cli.output).not.toContain('\u001B[31m');
    await lock.release();
    await cli.says('started');
    expect(await cli.exit()).toBe(0);
  });

  it('shows no line about the wait on a terminal that cannot erase it', async () => {
    const root = ownRoot();
    const locks = await openLocks({ root, tickTimeMs: 500 });
    const lock = await locks.acquire('a');
    const environment = { ZK_LOCK_ROOT: root, TERM: 'dumb' };
    const cli = onTerminal(['run', 'a', '--wait', '2s', '--', 'true'], environment);
    expect(await cli.exit()).toBe(75);
    await lock.release();
    expect(cli.output).toMatch(/^zk-lock: "a" was still busy[^\n]*\n$/);
  });
});

describe('zk-lock ls on a terminal', () => {
  it('fits its columns into the terminal, with colours unless NO_COLOR is set', async () => {
    const root = ownRoot();
    const locks = await openLocks({
      root,
      application: 'a-very-long-name-of-an-application',
      tickTimeMs: 500,
    });
    const lock = await locks.acquire('a-rather-long-key-that-is-held:42', { label: 'long label' });
    const environment = { ZK_LOCK_ROOT: root };
    const coloured = onTerminal(['ls'], environment, 60);
    const plain = onTerminal(['ls'], { ...environment, NO_COLOR: '1' }, 60);
    expect([await coloured.exit(), await plain.exit()]).toEqual([0, 0]);
    await lock.release();
    expect(coloured.output).toContain('\u001B[1ma-rather-long');
    expect(plain.output).not.toContain('\u001B');
    const lines = plain.output.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines.map((line) => line.length).every((length) => length <= 60)).toBe(true);
    expect(lines[1]).toMatch(/^a-rather-long-k.*…  write .*  a-very-long.*…$/);
  });
});

it('zk-lock show names a process and its node also on a narrow terminal', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root, application: 'billing', tickTimeMs: 500 });
  const lock = await locks.acquire('order:1', { label: 'ship it' });
  const cli = onTerminal(['show', 'order:1'], { ZK_LOCK_ROOT: root, NO_COLOR: '1' });
  expect(await cli.exit()).toBe(0);
  await lock.release();
  const [, head, holder, node] = cli.output.trimEnd().split('\r\n');
  expect(head).toMatch(/^PLACE +MODE +FOR +TOKEN +WHO +NOTE$/);
  expect(holder).toMatch(/^holds +write .*billing on .*\(pid \d+\)/);
  expect(node).toMatch(/^ {2}_c_\S+__WRIT__\d+$/);
});

it('zk-lock watch --live prints lines on a terminal that cannot draw', async () => {
  const cli = onTerminal(['watch', '--live'], { ZK_LOCK_ROOT: ownRoot(), TERM: 'dumb' });
  await cli.says('watching from now on');
  cli.type(CTRL_C);
  expect(await cli.exit()).toBe(130);
  expect(cli.output).not.toContain('\u001B');
});

/** The complete screens. A screen is complete once the next one has begun. */
const screensOf = (cli: Cli): string[][] =>
  cli.output
    .split('\u001B[H\u001B[J')
    .slice(1, -1)
    .map((drawing) => drawing.trimEnd().split('\r\n'));

/** The text of a screen in one line. */
const textOf = (screen: readonly string[] = []): string => screen.join(' ').replaceAll(/ +/g, ' ');

/** The first screen whose text matches. */
function drawn(cli: Cli, text: RegExp): Promise<string[]> {
  return waitFor(() => screensOf(cli).find((screen) => text.test(textOf(screen))), {
    what: `${String(text)} to be drawn`,
  });
}

it('zk-lock watch --live draws the holders of each key with the queue below, and shows that ZooKeeper is unreachable', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root, application: 'billing', tickTimeMs: 500 });
  const proxy = await openProxy();
  const settings = { ZK_CONNECT: proxy.connectString, ZK_LOCK_ROOT: root, ...SHORT_SESSION };
  const cli = onTerminal(['watch', '--live'], settings);
  await cli.says('The last minute of 0 busy keys, watched for');
  const first = await locks.acquire('order:1', { label: 'ship' });
  await cli.says(/order:1  1 holder, 0 waiting/);
  const next = locks.acquire('order:1', { label: 'refund' });
  await cli.says(/order:1  1 holder, 1 waiting/);
  await first.release();
  const [head, , , key, held, queue, a, b] = await drawn(cli, / B billing on .*"refund"/);
  expect(head).toMatch(/^The last minute of 1 busy key, watched for \d+ s\.$/);
  expect(key).toBe('order:1  1 holder, 0 waiting');
  expect(held).toMatch(/^·+A+B+$/);
  expect(queue).toMatch(/^ +█* *$/);
  expect([a, b]).toEqual([
    expect.stringMatching(/^  A  billing on .*"ship"$/),
    expect.stringMatching(/^  B  billing on .*"refund"$/),
  ]);

  await proxy.refuse();
  await proxy.cut();
  const away = textOf(await drawn(cli, /is lost/));
  expect(away).toMatch(/No connection to ZooKeeper: .*ECONNREFUSED.* What is drawn is old\./);
  expect(away).toContain('order:1 1 holder');
  await proxy.accept();
  await waitFor(() => !textOf(screensOf(cli).at(-1)).includes('is old'), {
    what: 'the connection',
  });
  await (await next).release();
  cli.type(CTRL_C);
  expect(await cli.exit()).toBe(130);
});
