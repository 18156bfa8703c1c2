import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openInspector, ownRoot } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { program } from './scene.js';
import { notesFolder, SHORT_SESSION, startCli } from './support.js';

it('zk-lock hold says that it released the lock once ZooKeeper has confirmed that', async () => {
  const root = ownRoot();
  const proxy = await openProxy();
  const inspector = await openInspector();
  const cli = startCli(['hold', 'a'], {
    ZK_CONNECT: proxy.connectString,
    ZK_LOCK_ROOT: root,
  });
  await cli.says('holding "a"');
  await proxy.freezeTowards('client');
  cli.signal('SIGINT');
  await waitFor(async () => (await inspector.childrenIfAny(`${root}/a`)).length === 0, {
    what: 'the node to be deleted',
  });
  expect(cli.output).not.toContain('released');
  await proxy.thaw();
  expect(await cli.exit()).toBe(130);
  expect(cli.output).toContain('released "a"\n');
});

it('zk-lock hold ends with 76 when its lease runs out because ZooKeeper does not answer', async () => {
  const proxy = await openProxy();
  const cli = startCli(['hold', 'a'], {
    ...SHORT_SESSION,
    ZK_CONNECT: proxy.connectString,
    ZK_LOCK_ROOT: ownRoot(),
  });
  await cli.says('holding "a"');
  await proxy.freeze();
  expect(await cli.exit()).toBe(76);
  expect(cli.output).toMatch(/\nlost "a" \(ZooKeeper has not answered in time\)\n$/);
  await proxy.thaw();
});

it('zk-lock hold that hung until its time was over says so if its lock was lost meanwhile', async () => {
  const root = ownRoot();
  const notes = notesFolder();
  const inspector = await openInspector();
  const cli = startCli(['hold', 'a', '--for', '3s'], {
    ZK_LOCK_ROOT: root,
    NODE_OPTIONS: `--require ${program('stall-once-holding.cjs')}`,
    STALLED: notes.path('stalled'),
    GO_ON: notes.path('go-on'),
  });
  await cli.says('holding "a"');
  const timeIsOver = performance.now() + 3_000;
  await waitFor(() => existsSync(notes.path('stalled')), { what: 'zk-lock to hang' });
  const [node] = await inspector.childrenIfAny(`${root}/a`);
  await inspector.delete(`${root}/a/${node!}`);
  await waitFor(() => performance.now() > timeIsOver, { what: 'the time of --for to be over' });
  writeFileSync(notes.path('go-on'), '');
  expect(await cli.exit()).toBe(76);
  expect(cli.output).toMatch(
    /\nlost "a" \(an operator or another program has deleted its node\)\n$/,
  );
});

it('zk-lock hold without --for keeps the lock beyond the longest time of a timer', async () => {
  const cli = startCli(['hold', 'a'], {
    ZK_LOCK_ROOT: ownRoot(),
    NODE_OPTIONS: `--require ${program('long-timers-at-once.cjs')}`,
  });
  await cli.says('holding "a"');
  cli.signal('SIGINT');
  expect(await cli.exit()).toBe(130);
});
