import { constants, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import {
  type CallResult,
  isAlive,
  notesFolder,
  pidsOf,
  processesWith,
  runCli,
  startCli,
} from './support.js';

/** A root for this test alone, as an environment variable. */
function ownEnvironment(): { readonly ZK_LOCK_ROOT: string } {
  return { ZK_LOCK_ROOT: ownRoot() };
}

/** Retries until the output names the holder, which zk-lock looks up for one second at most. */
function triesUntilNamed(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<CallResult> {
  const tries = async (): Promise<CallResult | undefined> => {
    const result = await runCli(args, environment);
    return result.errors.includes('held for') ? result : undefined;
  };
  return waitFor(tries, { what: 'the holder to be named' });
}

describe('zk-lock run', () => {
  it('exits as its command does, and as timeout(1) if that cannot be run', async () => {
    const environment = ownEnvironment();
    const notes = notesFolder();
    writeFileSync(notes.path('text'), 'no program');
    const cases = [
      { words: ['sh', '-c', 'exit 0'], code: 0, says: '' },
      { words: ['sh', '-c', 'exit 7'], code: 7, says: '' },
      { words: ['sh', '-c', 'kill -9 $$'], code: 137, says: '' },
      { words: ['no-such-command'], code: 127, says: '"no-such-command" was not found' },
      { words: [notes.path('text')], code: 126, says: 'cannot be run (EACCES)' },
      { words: [notes.path('text/program')], code: 126, says: 'cannot be run (ENOTDIR)' },
    ];
    await Promise.all(
      cases.map(async ({ words, code, says }, index) => {
        const result = await runCli(['run', `key-${index}`, '--', ...words], environment);
        expect(result, words.join(' ')).toMatchObject({ code, output: '' });
        expect(result.errors).toContain(says);
      }),
    );
  });

  it('says after two seconds that no ZooKeeper answers, and ends with 69', async () => {
    const environment = { ZK_CONNECT: '127.0.0.1:1', ZK_LOCK_CONNECT_TIMEOUT: '3s' };
    const { code, errors } = await runCli(['run', 'a', '--', 'true'], environment);
    expect(code).toBe(69);
    const [after2s, after3s] = errors.split('\n');
    expect(after2s).toBe(
      'zk-lock: No connection to ZooKeeper at 127.0.0.1:1 within 2 s: connect ECONNREFUSED 127.0.0.1:1. Start ZooKeeper there (for development: npx zk-embedded), or correct --connect (ZK_CONNECT): "zk-lock doctor" says more.',
    );
    expect(after3s).toContain('ECONNREFUSED 127.0.0.1:1. Check --connect (ZK_CONNECT), and');
  });

  it('hands its input, output and the lock to the command', async () => {
    const environment = ownEnvironment();
    const script = 'cat; echo "$ZK_LOCK_KEY $ZK_LOCK_MODE $ZK_LOCK_TOKEN" >&2';
    const tokens: bigint[] = [];
    for (const mode of ['write', 'read']) {
      const flags = mode === 'read' ? ['--read'] : [];
      const cli = startCli(['run', 'a key/{0}', ...flags, '--', 'sh', '-c', script], environment);
      cli.endInput('from the input\n');
      expect(await cli.exit()).toBe(0);
      expect(cli.output).toBe('from the input\n');
      const [, token] = /^a key\/\{0\} \w+ (\d+)\n$/.exec(cli.errors) ?? [];
      expect(cli.errors).toContain(`a key/{0} ${mode} `);
      tokens.push(BigInt(token!));
    }
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });

  it('leaves input and output in blocking mode', async () => {
    const script = 'grep -h flags /proc/self/fdinfo/0 /proc/self/fdinfo/1 /proc/self/fdinfo/2';
    const { output } = await runCli(['run', 'a', '--', 'sh', '-c', script], ownEnvironment());
    const flags = [...output.matchAll(/flags:\s*(\d+)/g)].map(([, octal]) => parseInt(octal!, 8));
    expect(flags.map((each) => each & constants.O_NONBLOCK)).toEqual([0, 0, 0]);
  });

  it('holds the lock as long as the command runs, and tells others who has it', async () => {
    const root = ownRoot();
    const environment = { ZK_LOCK_ROOT: root };
    const locks = await openLocks({ root, tickTimeMs: 500 });
    const cli = startCli(
      ['run', 'a', '--label', 'a report', '--', 'sh', '-c', 'echo ready; read _'],
      environment,
    );
    await cli.says('ready');
    const { holders } = await locks.inspect('a');
    expect(holders.map(({ holder }) => holder)).toMatchObject([
      { pid: cli.pid, application: 'zk-lock', label: 'a report' },
    ]);

    const [tried, waited, own] = await Promise.all([
      triesUntilNamed(['run', 'a', '--try', '--', 'echo', 'started'], environment),
      runCli(['run', 'a', '--wait', '1s', '--', 'echo', 'started'], environment),
      runCli(['run', 'a', '-n', '-E', '9', '--', 'echo', 'started'], environment),
    ]);
    expect([tried, waited, own].map(({ code, output }) => ({ code, output }))).toEqual([
      { code: 75, output: '' },
      { code: 75, output: '' },
      { code: 9, output: '' },
    ]);
    expect(tried.errors).toMatch(
      /^zk-lock: "a" was busy; held for \d+ s by zk-lock on \S+ \(pid \d+\) "a report"\.$/m,
    );
    cli.type('\n');
    expect(await cli.exit()).toBe(0);
    await (await locks.acquire('a', { timeoutMs: 0 })).release();
  });

  it('tells others who has the permits', async () => {
    const root = ownRoot();
    const locks = await openLocks({ root, application: 'billing', tickTimeMs: 500 });
    const permit = await locks.semaphore('gpu', { permits: 1 }).acquire();
    const args = ['run', 'gpu', '--permits', '1', '--try', '--', 'true'];
    const { code, errors } = await triesUntilNamed(args, { ZK_LOCK_ROOT: root });
    await permit.release();
    expect(code).toBe(75);
    expect(errors).toMatch(/^zk-lock: no permit of "gpu" was free; held for \d+ s by billing on /);
  });

  it('explains what ZooKeeper does not allow', async () => {
    const root = ownRoot();
    const call = (settings: object) =>
      runCli(['run', 'a', '--verbose', '--', 'true'], { ZK_LOCK_ROOT: root, ...settings });
    const notes = notesFolder();
    writeFileSync(notes.path('password'), 'secret');
    const results = await Promise.all([
      call({ ZK_LOCK_ACL: 'creator' }),
      call({ ZK_LOCK_SESSION_TIMEOUT: '3d', ZK_LOCK_TICK_TIME: '1d' }),
      call({ ZK_LOCK_TICK_TIME: '0' }),
      call({ ZK_LOCK_DIALECT: 'other' }),
      call({
        ...{ ZK_LOCK_USER: 'billing', ZK_LOCK_PASSWORD_FILE: notes.path('password') },
        ZK_LOCK_ACL: 'open',
      }),
    ]);
    const told = results.map(({ errors }) => errors).join('');
    expect(told).toContain('--acl (ZK_LOCK_ACL)');
    expect(told).not.toMatch(/`|docs\/|nestjs|[a-z]Ms\b|credentials/);
  });

  it('ends a command that takes too long, with all that it has started', async () => {
    const args = ['run', 'a', '--max-hold', '1s', '--', 'sh', '-c', 'sleep 1000 & wait'];
    // On a busy machine, the time may be up before the command can write anything.
    const NOTES = notesFolder().path('none');
    const { code } = await runCli(args, { ...ownEnvironment(), NOTES });
    expect(code).toBe(124);
    expect(processesWith(`NOTES=${NOTES}`)).toEqual([]);
  });

  it('ends what the command has left behind in its group before it releases the lock', async () => {
    const script = 'sleep 1000 & echo "pids $!"';
    const cli = startCli(['run', 'a', '--', 'sh', '-c', script], ownEnvironment());
    const pids = await pidsOf(cli);
    expect(await cli.exit()).toBe(0);
    expect(pids.map(isAlive)).toEqual([false]);
  });
});
