import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { ownProgram } from '../support/own-process.js';
import { sharedServer } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { startBoard } from './support/board-app.js';

const apps = useTestApps();

/** A shell that finds `zk-lock`. */
function openShell(): (command: string) => Promise<string> {
  const bin = makeTempDir('bin');
  onTestFinished(() => removeTempDir(bin));
  const words = ownProgram('libs/zk-lock-cli/bin/zk-lock.js').map((word) => `'${word}'`);
  writeFileSync(join(bin, 'zk-lock'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(join(bin, 'zk-lock'), 0o755);
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    ZK_CONNECT: sharedServer().connectString,
    ZK_LOCK_TICK_TIME: '500ms',
  };
  return async (command) => (await promisify(execFile)('sh', ['-c', command], { env })).stdout;
}

/** Adds an operator's confirmation to a command. */
const confirmed = (command: string): string =>
  command.includes(' -- ') ? command.replace(' -- ', ' --yes -- ') : `${command} --yes`;

it.each(['order:7', "it's $HOME & more", '-n', '--like-option', '--'])(
  'breaks the lock of the key %j by the command that it offers to copy',
  async (key) => {
    const board = await startBoard(apps);
    const held = await board.locks.acquire(key, { pattern: 'k' });
    const [holder] = (await board.key(key)).holders;
    const said = await openShell()(confirmed(holder!.command!));
    expect(said).toContain(`took "${key}" (write) from shop on `);
    await waitFor(() => !held.isHeld, { what: 'the holder to be told' });
    expect(held.signal.reason).toMatchObject({
      reason: 'broken',
      brokenBy: { application: 'zk-lock' },
    });
    await held.release();
  },
);
