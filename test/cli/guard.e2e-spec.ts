import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FromGuard, monotonicMs } from '../../libs/zk-lock-cli/src/child/messages.js';
import { waitFor } from '../support/wait-for.js';
import { program } from './scene.js';
import { notesFolder } from './support.js';

const GUARD = fileURLToPath(new URL('../../libs/zk-lock-cli/dist/guard.cjs', import.meta.url));

const STALL = program('stall-at-usr2.cjs');

const MINUTE_MS = 60_000;
const inMs = (ms: number): number => monotonicMs() + ms;

/** A guard that starts a command, and its output. */
function startGuard(
  [command, ...args]: readonly [string, ...string[]],
  leaseEndsAt: number,
  environment: Readonly<NodeJS.ProcessEnv> = {},
): { guard: ChildProcess; news: FromGuard[] } {
  const env = { ...process.env, ...environment };
  const guard = fork(GUARD, { env, execArgv: ['--require', STALL] });
  const news: FromGuard[] = [];
  guard.on('message', (message: FromGuard) => news.push(message));
  onTestFinished(() => void guard.kill('SIGKILL'));
  const start = { command, args, environment: env, foreground: false, killAfterMs: 100 };
  guard.send({ type: 'lease', endsAt: leaseEndsAt });
  guard.send({ type: 'start', ...start });
  return { guard, news };
}

describe('the guard of a command', () => {
  it('does not start it once the lease is over', async () => {
    const path = notesFolder().path('started');
    const { guard, news } = startGuard(['touch', path], inMs(0));
    await once(guard, 'exit');
    expect(news).toMatchObject([{ type: 'ended', wasLeaseOver: true }]);
    expect(existsSync(path)).toBe(false);
  });

  it('starts it if zk-lock extended the lease while the guard was not running yet', async () => {
    const { guard, news } = startGuard(['sh', '-c', 'exit 5'], inMs(0));
    guard.send({ type: 'lease', endsAt: inMs(MINUTE_MS) });
    await once(guard, 'exit');
    expect(news.at(-1)).toMatchObject({ type: 'ended', code: 5, wasLeaseOver: false });
  });

  it('does not start it if zk-lock is gone before the guard is running', async () => {
    const path = notesFolder().path('started');
    const { guard, news } = startGuard(['touch', path], inMs(MINUTE_MS));
    guard.disconnect();
    await once(guard, 'exit');
    expect(news).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it('lets it continue if zk-lock extended the lease while the guard was hanging', async () => {
    const notes = notesFolder();
    const has = (name: string) => (): boolean => existsSync(notes.path(name));
    const environment = {
      ...{ READY: notes.path('ready'), STALLED: notes.path('stalled') },
      ...{ NOTED: notes.path('noted'), GO_ON: notes.path('go-on') },
    };
    const script = `
      trap 'exit 5' USR1; trap 'exit 6' TERM; trap 'echo > "$NOTED"' HUP
      echo > "$READY"
      while :; do sleep 0.05; done`;
    const { guard, news } = startGuard(['sh', '-c', script], inMs(MINUTE_MS), environment);
    await waitFor(has('ready'), { what: 'the command to be ready' });
    const endsAt = inMs(5_000);
    guard.send({ type: 'lease', endsAt });
    guard.send({ type: 'signal', signal: 'SIGHUP' });
    await waitFor(has('noted'), { what: 'the guard to know when the lease ends' });
    guard.kill('SIGUSR2');
    await waitFor(has('stalled'), { what: 'the guard to hang' });
    guard.send({ type: 'lease', endsAt: inMs(MINUTE_MS) });
    await waitFor(() => monotonicMs() > endsAt, { what: 'the first lease to be over' });
    writeFileSync(notes.path('go-on'), '');
    guard.send({ type: 'signal', signal: 'SIGUSR1' });
    await once(guard, 'exit');
    expect(news.at(-1)).toMatchObject({ type: 'ended', code: 5, wasLeaseOver: false });
  });
});
