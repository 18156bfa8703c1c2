import { describe, expect, it } from 'vitest';
import { openInspector } from '../support/locks.js';
import { DEAF, LONG_SESSION, OBEDIENT, openScene, type Scene } from './scene.js';
import { isAlive, SHORT_SESSION } from './support.js';

/** Whether it ends when it is asked makes no difference to those who wait. */
const openScenes = (): Promise<Scene[]> =>
  Promise.all([OBEDIENT, DEAF].map((each) => openScene(each)));

describe('zk-lock run', () => {
  it('ends the command and its children before the lock that it cannot keep has another holder', async () => {
    const scenes = await openScenes();
    await Promise.all(scenes.map(({ proxy }) => proxy.freeze()));
    await Promise.all(
      scenes.map(async ({ cli, proxy, asked, nextHolder }) => {
        expect(await nextHolder).toEqual([]);
        expect(asked()).toEqual(['child', 'grandchild']);
        await proxy.thaw();
        expect(await cli.exit()).toBe(76);
        expect(cli.errors).toContain('zk-lock: The lock "a" ');
      }),
    );
  });

  it('keeps the lock of a session that survives until the command has ended, as zk-lock elect does', async () => {
    const keepUntilEnded = async (verb: 'run' | 'elect'): Promise<void> => {
      const { cli, proxy, nextHolder, asked } = await openScene(DEAF, SHORT_SESSION, { verb });
      await proxy.freeze();
      await cli.says('The lock "a" was lost (margin-reached): ending the command.');
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

  it('kills the command at once when its node is deleted', async () => {
    const { cli, pids, others, root, nextHolder } = await openScene(DEAF, LONG_SESSION);
    const inspector = await openInspector();
    const [holder] = (await others.inspect('a')).holders;
    await inspector.delete(`${root}/a/${holder!.node}`);
    expect(await cli.exit()).toBe(76);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(cli.errors).toContain('The lock "a" was lost (node-deleted): ending the command.');
    await nextHolder;
  });
});

describe('when zk-lock itself', () => {
  it('is killed, its guard ends the command and its children before the lock has another holder', async () => {
    const scenes = await openScenes();
    for (const { cli } of scenes) cli.signal('SIGKILL');
    for (const { asked, nextHolder } of scenes) {
      expect(await nextHolder).toEqual([]);
      expect(asked()).toEqual(['child', 'grandchild']);
    }
  });

  it('is stopped, its guard does so too, and zk-lock tells of the loss when it goes on', async () => {
    const { cli, asked, nextHolder } = await openScene(DEAF);
    cli.signal('SIGSTOP');
    expect(await nextHolder).toEqual([]);
    expect(asked()).toEqual(['child', 'grandchild']);
    cli.signal('SIGCONT');
    expect(await cli.exit()).toBe(76);
  });
});
