import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openInspector, ownRoot } from '../support/locks.js';
import { ownProgram } from '../support/own-process.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { DEAF, OBEDIENT, openScene, type Scene } from './scene.js';
import { Cli, isAlive, LONG_SESSION, notesFolder, pidsOf, SHORT_SESSION } from './support.js';

/** Ways in which zk-lock's session ends. Each returns a function that ends the fault and checks. */
const ENDS: Readonly<Record<string, (scene: Scene) => Promise<() => Promise<void>>>> = {
  async 'is cut off'({ cli, proxy }) {
    await proxy.freeze();
    return async () => {
      await proxy.thaw();
      expect(await cli.exit()).toBe(76);
      expect(cli.errors).toContain('zk-lock: The lock "a" ');
    };
  },
  async 'is killed'({ cli }) {
    cli.signal('SIGKILL');
    return Promise.resolve(() => Promise.resolve());
  },
  async 'is stopped'({ cli }) {
    cli.signal('SIGSTOP');
    return Promise.resolve(async () => {
      cli.signal('SIGCONT');
      expect(await cli.exit()).toBe(76);
    });
  },
};

/** A named pipe that is full, and that no process reads. */
function fullPipe(path: string): void {
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  // A write of this many bytes is done as a whole or not at all.
  for (const bytes of [4_096, 1]) {
    try {
      for (;;) writeSync(pipe, Buffer.alloc(bytes));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  }
}

describe('zk-lock run', () => {
  it('kills its command at once when the lock is lost, even if its standard error is a full pipe', async () => {
    const root = ownRoot();
    const pipe = notesFolder().path('stderr');
    fullPipe(pipe);
    const command = ['sh', '-c', 'echo "pids $$"; while :; do sleep 0.5; done'];
    const cli = new Cli(
      ['run', 'a', '--', ...command],
      { ...LONG_SESSION, ZK_CONNECT: sharedServer().connectString, ZK_LOCK_ROOT: root },
      (words) => ['sh', '-c', `exec "$@" 2>"${pipe}"`, 'sh', ...words],
    );
    onTestFinished(() => cli.end());
    const [pid = 0] = await pidsOf(cli);
    const inspector = await openInspector();
    const [node] = await inspector.childrenIfAny(`${root}/a`);
    await inspector.delete(`${root}/a/${node!}`);
    // Its guard would end it when its lease is over, which takes longer.
    await waitFor(() => !isAlive(pid), { what: 'the command to be killed', timeoutMs: 10_000 });
  });

  it('ends its command and its children before the lock has another holder, if it is cut off, killed or stopped', async () => {
    const cases = Object.entries(ENDS).flatMap(([what, end]) =>
      // Other processes get the lock whether or not the command obeys SIGTERM.
      [OBEDIENT, DEAF].map((command) => ({ what, end, command })),
    );
    await Promise.all(
      cases.map(async ({ what, end, command }) => {
        const scene = await openScene(command);
        const goOn = await end(scene);
        expect(await scene.nextHolder, what).toEqual([]);
        expect(scene.asked(), what).toEqual(['child', 'grandchild']);
        await goOn();
      }),
    );
  });

  it('keeps the lock of a session that survives until the command has ended, as zk-lock elect does', async () => {
    const keepUntilEnded = async (verb: 'run' | 'elect'): Promise<void> => {
      const { cli, proxy, nextHolder, asked } = await openScene(DEAF, SHORT_SESSION, { verb });
      await proxy.freeze();
      await cli.says(
        'The lock "a" was lost: ZooKeeper has not answered in time. Ending the command.',
      );
      await proxy.thaw();
      expect(await nextHolder).toEqual([]);
      expect(asked()).toEqual(['child', 'grandchild']);
      if (verb === 'elect') {
        await cli.says(/pids[^]*pids/);
        cli.signal('SIGINT');
      }
      expect(await cli.exit()).toBe(verb === 'run' ? 76 : 130);
    };
    await Promise.all([keepUntilEnded('run'), keepUntilEnded('elect')]);
  });

  it('does not wait to lead again if SIGTERM came before the loss, as zk-lock elect', async () => {
    const { cli, proxy, nextHolder, asked } = await openScene(DEAF, SHORT_SESSION, {
      verb: 'elect',
    });
    cli.signal('SIGTERM');
    await waitFor(() => asked().includes('child'), { what: 'the command to note SIGTERM' });
    await proxy.freeze();
    expect(await cli.exit()).toBe(143);
    expect(await nextHolder).toEqual([]);
  });

  it('has the command of a zk-lock run within it ended before its own lock has another holder', async () => {
    const program = ownProgram('libs/zk-lock-cli/bin/zk-lock.js');
    const settings = [`ZK_CONNECT=${sharedServer().connectString}`, 'ZK_LOCK_SESSION_TIMEOUT=20s'];
    const inner = ['env', ...settings, ...program, 'run', 'b', '-k', '9s', '--'];
    const { cli, proxy, root, nextHolder } = await openScene([...inner, 'sh', '-c', DEAF]);
    await proxy.freeze();
    expect(await nextHolder).toEqual([]);
    await proxy.thaw();
    expect(await cli.exit()).toBe(76);
    // The inner zk-lock was killed, but its session has not ended yet.
    const inspector = await openInspector();
    const [node] = await inspector.childrenIfAny(`${root}/b`);
    await inspector.delete(`${root}/b/${node!}`);
  });

  it('kills the command at once when its node is deleted', async () => {
    const { cli, pids, others, root, nextHolder } = await openScene(DEAF, LONG_SESSION);
    const inspector = await openInspector();
    const [holder] = (await others.inspect('a')).holders;
    await inspector.delete(`${root}/a/${holder!.node}`);
    expect(await cli.exit()).toBe(76);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(cli.errors).toContain(
      'The lock "a" was lost: an operator or another program has deleted its node. Ending the command.',
    );
    await nextHolder;
  });
});
