import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { type Cli, isAlive, notesFolder, pidsOf, SHORT_SESSION, startCli } from './support.js';

/** A command with a child of its own; both of them note SIGTERM. */
const OBEDIENT = `
  note() { echo "$1" >> "$NOTES"; exit; }
  (trap 'note grandchild' TERM; echo >&2 inner; while :; do sleep 0.05; done) &
  inner=$!
  trap 'note child' TERM
  echo "pids $$ $inner"
  while :; do sleep 0.05; done`;

/** The same, which do not end when they are asked. */
const DEAF = `
  trap 'echo child >> "$NOTES"' TERM
  (trap 'echo grandchild >> "$NOTES"' TERM; echo >&2 inner; while :; do sleep 0.05; done) &
  echo "pids $$ $!"
  while :; do sleep 0.05; done`;

interface Scene {
  readonly cli: Cli;
  /** Of the command, and of what it has started. */
  readonly pids: readonly number[];
  /** Through which zk-lock is connected. */
  readonly proxy: FaultProxy;
  /** Of another process, directly connected. */
  readonly others: TestLocks;
  readonly root: string;
  /** Who has noted SIGTERM. */
  readonly asked: () => string[];
  /** Resolves when another process has the lock; who of the command was alive then. */
  readonly nextHolder: Promise<readonly number[]>;
}

/** Where no end of a session is waited for: a busy machine cannot lose it. */
const LONG_SESSION = { ZK_LOCK_SESSION_TIMEOUT: '30s' } as const;

/** A command that runs under the lock `a`, and another process that waits for that. */
async function openScene(
  script: string,
  session: Readonly<NodeJS.ProcessEnv> = SHORT_SESSION,
): Promise<Scene> {
  const root = ownRoot();
  const proxy = await openProxy();
  const notes = notesFolder();
  const others = await openLocks({ root, tickTimeMs: 500 });
  const cli = startCli(['run', 'a', '-k', '400ms', '--', 'sh', '-c', script], {
    ...session,
    ZK_CONNECT: proxy.connectString,
    ZK_LOCK_ROOT: root,
    NOTES: notes.path('notes'),
  });
  const pids = await pidsOf(cli);
  await cli.says('inner');
  const nextHolder = others.acquire('a').then(async (lock) => {
    const alive = pids.filter(isAlive);
    await lock.release();
    return alive;
  });
  nextHolder.catch(() => {});
  const asked = (): string[] => {
    try {
      return notes.read('notes').trim().split('\n').sort();
    } catch {
      return [];
    }
  };
  await waitFor(() => others.counts.waiting === 1, { what: 'the other process to wait' });
  return { cli, pids, proxy, others, root, asked, nextHolder };
}

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
        expect(cli.errors).toContain('zk-lock: "a" ');
      }),
    );
  });

  it('kills the command at once when its node is deleted', async () => {
    const { cli, pids, others, root, nextHolder } = await openScene(DEAF, LONG_SESSION);
    const inspector = await openInspector();
    const [holder] = (await others.inspect('a')).holders;
    await inspector.delete(`${root}/a/${holder!.node}`);
    expect(await cli.exit()).toBe(76);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(cli.errors).toContain('"a" is lost (node-deleted): ending the command.');
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

  it('loses its guard, it kills the command and gives the lock back', async () => {
    const { cli, pids, nextHolder } = await openScene(DEAF, LONG_SESSION);
    const guard = parentOf(pids[0]!);
    expect(parentOf(guard)).toBe(cli.pid);
    process.kill(guard, 'SIGKILL');
    expect(await cli.exit()).toBe(137);
    expect(await nextHolder).toEqual([]);
  });
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
