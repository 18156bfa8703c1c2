import { describe, expect, it } from 'vitest';
import { leftOf } from '../support/left-of.js';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { notesFolder, startCli } from './support.js';

describe('a signal to zk-lock run', () => {
  it('gives up its place in the queue while it waits, and starts nothing', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const locks = await openLocks({ root, tickTimeMs: 500 });
    const lock = await locks.acquire('a');
    const expected = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;
    const waiting = Object.entries(expected).map(([signal, code]) => ({
      ...{ signal: signal as NodeJS.Signals, code },
      cli: startCli(['run', 'a', '--', 'echo', 'started'], { ZK_LOCK_ROOT: root }),
    }));
    await waitFor(async () => (await inspector.childrenIfAny(`${root}/a`)).length === 4, {
      what: 'three to wait',
    });
    for (const { cli, signal } of waiting) cli.signal(signal);
    for (const { cli, code } of waiting) {
      expect(await cli.exit()).toBe(code);
      expect(cli.output).toBe('');
    }
    const [first] = (await locks.inspect('a')).holders;
    const others = async (): Promise<string[]> =>
      (await inspector.childrenIfAny(`${root}/a`)).filter((node) => node !== first!.node);
    expect(await leftOf(others)).toEqual([]);
    await lock.release();
  });

  it.each(['run a -v -- echo started', 'watch -v', 'watch --live -v'])(
    'ends the attempt to connect, as of zk-lock %s',
    async (words) => {
      const environment = { ZK_CONNECT: '127.0.0.1:1', ZK_LOCK_CONNECT_TIMEOUT: '1h' };
      const cli = startCli(words.split(' '), environment);
      await cli.says('ECONNREFUSED');
      cli.signal('SIGTERM');
      expect(await cli.exit()).toBe(143);
      expect(cli.output).toBe('');
    },
  );

  it.each([
    { flags: [], resumes: 0 },
    { flags: ['--foreground'], resumes: 1 },
  ])(
    'does not stop it, and resumes only a command that the terminal has stopped too, with $flags',
    async ({ flags, resumes }) => {
      const script = `
        trap 'echo resumed' CONT; trap 'echo usr1' USR1; trap 'exit 3' TERM
        echo ready
        while :; do sleep 0.05; done`;
      const args = ['run', 'a', ...flags, '--', 'sh', '-c', script];
      const cli = startCli(args, { ZK_LOCK_ROOT: ownRoot() });
      await cli.says('ready');
      cli.signal('SIGTSTP');
      await cli.says('Not stopped');
      cli.signal('SIGUSR1');
      await cli.says('usr1');
      cli.signal('SIGTERM');
      expect(await cli.exit()).toBe(3);
      expect(cli.output.match(/resumed/g) ?? []).toHaveLength(resumes);
    },
  );

  it('is passed on to the command and its children, which may take their time', async () => {
    const notes = notesFolder();
    const script = `
      (trap 'echo inner >> "$NOTES"; exit' USR1; echo >&2 inner; while :; do sleep 0.05; done) &
      trap 'echo usr1 >> "$NOTES"' USR1
      trap 'wait; echo done; exit 5' TERM
      echo ready
      while :; do sleep 0.05; done`;
    const environment = { ZK_LOCK_ROOT: ownRoot(), NOTES: notes.path('notes') };
    const cli = startCli(['run', 'a', '--', 'sh', '-c', script], environment);
    await Promise.all([cli.says('ready'), cli.says('inner')]);
    cli.signal('SIGUSR1');
    await waitFor(() => notes.read('notes').split('\n').length === 3, { what: 'both to note it' });
    cli.signal('SIGTERM');
    expect(await cli.exit()).toBe(5);
    expect(cli.output).toBe('ready\ndone\n');
  });
});
