import { fileURLToPath } from 'node:url';
import { openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { type Cli, isAlive, notesFolder, pidsOf, SHORT_SESSION, startCli } from './support.js';

/** A command with a child. Both note SIGTERM, which also ends the `sleep` that they wait for. */
export const OBEDIENT = `
  note() { echo "$1" >> "$NOTES"; exit; }
  (trap 'note grandchild' TERM; echo >&2 inner; while :; do sleep 0.5; done) &
  inner=$!
  trap 'note child' TERM
  echo "pids $$ $inner"
  while :; do sleep 0.5; done`;

/** The same, but they ignore SIGTERM. The command prints a line on SIGCONT. */
export const DEAF = `
  trap 'echo child >> "$NOTES"' TERM
  trap 'echo >&2 continued' CONT
  (trap 'echo grandchild >> "$NOTES"' TERM; echo >&2 inner; while :; do sleep 0.5; done) &
  echo "pids $$ $!"
  while :; do sleep 0.5; done`;

export interface Scene {
  readonly cli: Cli;
  /** The processes of the command. */
  readonly pids: readonly number[];
  /** The proxy between zk-lock and the server. */
  readonly proxy: FaultProxy;
  /** The locks of another process without a proxy. */
  readonly others: TestLocks;
  readonly root: string;
  /** The processes that have noted SIGTERM. */
  readonly asked: () => string[];
  /**
   * Resolves when another process has the lock, with the command's processes that were still alive.
   */
  readonly nextHolder: Promise<readonly number[]>;
}

/**
 * A command that runs under the lock `a`, and another process that waits for this lock. The command
 * prints its `pids`, and `inner` when it is ready.
 */
export async function openScene(
  script: string | readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = SHORT_SESSION,
  { verb = 'run', flags = ['-k', '2s'] }: { verb?: string; flags?: readonly string[] } = {},
): Promise<Scene> {
  const root = ownRoot();
  const proxy = await openProxy();
  const notes = notesFolder();
  const others = await openLocks({ root, tickTimeMs: 500 });
  const command = typeof script === 'string' ? ['sh', '-c', script] : script;
  const cli = startCli([verb, 'a', ...flags, '--', ...command], {
    ...environment,
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

/** Resolves once zk-lock and its guard pass on signals to the command. */
export async function untilGuarded(cli: Cli): Promise<void> {
  const isTold = (): boolean => {
    cli.signal('SIGCONT');
    return `${cli.output}${cli.errors}`.includes('continued');
  };
  await waitFor(isTold, { what: 'the command to get a signal' });
}

/** The path of a file in `programs/`. */
export const program = (name: string): string =>
  fileURLToPath(new URL(`programs/${name}`, import.meta.url));
