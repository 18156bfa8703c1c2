import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openInspector, ownRoot } from '../support/locks.js';
import { DEAF, openScene, program, untilGuarded } from './scene.js';
import {
  type Cli,
  isAlive,
  LONG_SESSION,
  notesFolder,
  parentOf,
  pidsOf,
  processesWith,
  startCli,
} from './support.js';

/** A program that survives SIGKILL until {@link tracerOf} is gone. */
const UNKILLABLE = ['/usr/bin/python3', '-B', program('unkillable.py')] as const;

/** The tracer of such a program, killed at the end of the test. */
function tracerOf({ output }: Cli): { end: () => void } {
  const pid = Number(/^tracer (\d+)$/m.exec(output)![1]);
  const end = (): void => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  };
  onTestFinished(end);
  return { end };
}

const isStillHeld = (cli: Cli, pid: number): Promise<void> =>
  cli.says(
    `Process ${pid} of the command still runs after SIGKILL: waiting for it to end, and keeping "a" as long as`,
  );

describe('when its guard is killed, zk-lock run', () => {
  it.each([{ flags: [] }, { flags: ['--foreground'] }])(
    'kills the command and releases the lock when nothing of it is left, with $flags',
    async ({ flags }) => {
      const { cli, pids, others, nextHolder } = await openScene(UNKILLABLE, LONG_SESSION, {
        flags,
      });
      await untilGuarded(cli);
      const tracer = tracerOf(cli);
      const [command] = pids;
      const guard = parentOf(command!);
      expect(parentOf(guard)).toBe(cli.pid);
      process.kill(guard, 'SIGKILL');
      await isStillHeld(cli, command!);
      expect(others.counts.waiting).toBe(1);
      tracer.end();
      expect(await cli.exit()).toBe(137);
      expect(cli.errors).toContain(
        'zk-lock: The guard of the command was killed, so the command was killed, too.',
      );
      expect(await nextHolder).toEqual([]);
    },
  );

  it('finds and kills a command that the guard could no longer report', async () => {
    const notes = notesFolder();
    const variable = `NOTES=${notes.path('notes')}`;
    const remaining = (): number[] => processesWith(variable).filter((pid) => pid !== cli.pid);
    const cli = startCli(['run', 'a', '--', 'sh', '-c', 'while :; do sleep 0.05; done'], {
      ZK_LOCK_ROOT: ownRoot(),
      NOTES: notes.path('notes'),
      NODE_OPTIONS: `--require ${program('kill-guard-at-spawn.cjs')}`,
    });
    onTestFinished(() => {
      for (const pid of remaining()) process.kill(pid, 'SIGKILL');
    });
    expect(await cli.exit()).toBe(137);
    expect(cli.errors).toContain('killed before it had reported that the command was running');
    expect(remaining()).toEqual([]);
  });

  it('does not leave the command behind if it is killed itself at the same moment', async () => {
    const { cli, pids, nextHolder } = await openScene(DEAF);
    await untilGuarded(cli);
    const guard = parentOf(pids[0]!);
    cli.signal('SIGSTOP');
    process.kill(guard, 'SIGKILL');
    cli.signal('SIGKILL');
    expect(await nextHolder).toEqual([]);
  });
});

it.each(['guard', 'command'])(
  'zk-lock run --foreground ends by Ctrl-C before its %s is running',
  async (next) => {
    const notes = notesFolder();
    const cli = startCli(['run', 'a', '--foreground', '--', 'sleep', '1000'], {
      ...{ ZK_LOCK_ROOT: ownRoot(), BEFORE: next, HANDLED: notes.path('handled') },
      NODE_OPTIONS: `--require ${program('interrupt-before-start.cjs')}`,
    });
    expect(await cli.exit()).toBe(130);
    expect(cli.errors).toBe('');
  },
);

describe('while its guard is stopped, zk-lock run', () => {
  it('kills the command when the lock is lost', async () => {
    const { cli, pids, others, root, nextHolder } = await openScene(DEAF, LONG_SESSION);
    await untilGuarded(cli);
    const guard = parentOf(pids[0]!);
    onTestFinished(() => {
      if (isAlive(guard)) process.kill(guard, 'SIGKILL');
    });
    process.kill(guard, 'SIGSTOP');
    const [holder] = (await others.inspect('a')).holders;
    await (await openInspector()).delete(`${root}/a/${holder!.node}`);
    expect(await cli.exit()).toBe(76);
    // zk-lock has killed the guard itself.
    expect(cli.errors).not.toContain('guard');
    expect(pids.filter(isAlive)).toEqual([]);
    await nextHolder;
  });
});

it('zk-lock run does not claim to keep a lock that is lost while SIGKILL does not end the command', async () => {
  const { cli, pids, root, others, nextHolder } = await openScene(UNKILLABLE, LONG_SESSION);
  const tracer = tracerOf(cli);
  const [holder] = (await others.inspect('a')).holders;
  await (await openInspector()).delete(`${root}/a/${holder!.node}`);
  expect(await nextHolder).toEqual(pids);
  await cli.says(
    `Process ${pids[0]!} of the command still runs after SIGKILL: waiting for it to end; "a" is already lost.`,
  );
  tracer.end();
  expect(await cli.exit()).toBe(76);
});

describe('what a command leaves behind in its group', () => {
  it('keeps the lock even if SIGKILL does not end it', async () => {
    const script = `${UNKILLABLE.join(' ')} & read _; exit 5`;
    const { cli, pids, others, nextHolder } = await openScene(script, LONG_SESSION);
    const tracer = tracerOf(cli);
    cli.type('\n');
    await isStillHeld(cli, pids[0]!);
    expect(others.counts.waiting).toBe(1);
    tracer.end();
    expect(await cli.exit()).toBe(5);
    expect(await nextHolder).toEqual([]);
  });

  it('keeps the lock even if its first thread has ended', async () => {
    const script = `/usr/bin/python3 -B ${program('threads.py')} & read _; exit 5`;
    const { cli, nextHolder } = await openScene(script, LONG_SESSION);
    cli.type('\n');
    expect(await nextHolder).toEqual([]);
    expect(await cli.exit()).toBe(5);
  });
});

describe('the processes of zk-lock run', () => {
  it('have names of their own, without the arguments of the command', async () => {
    const script = 'echo "pids $$ $$"; read _';
    const args = ['run', 'a\u001B[31m key', '--', 'sh', '-c', script, 'a-secret'];
    const cli = startCli(args, { ZK_LOCK_ROOT: ownRoot() });
    const [command] = await pidsOf(cli);
    const titles = [cli.pid, parentOf(command!)].map((pid) => [
      readFileSync(`/proc/${pid}/comm`, 'utf8'),
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, ''),
    ]);
    expect(titles).toEqual([
      ['zk-lock run a\\u\n', 'zk-lock run a\\u{1b}[31m key'],
      ['zk-lock guard\n', 'zk-lock guard'],
    ]);
    cli.type('\n');
    expect(await cli.exit()).toBe(0);
  });
});
