import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { installPacked, run } from './pack.js';

const PACKAGES = ['zk-client', 'zk-embedded', 'zk-lock-cli', 'zk-locks', 'zk-protocol'];

it(
  'the commands run by npx, installed from their tarballs, without Nest',
  { timeout: 60_000 },
  async () => {
    const cwd = await installPacked(...PACKAGES);
    const installed = readdirSync(join(cwd, 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    );
    expect(installed.sort()).toEqual(PACKAGES);
    const env = {
      ...process.env,
      ZK_CONNECT: sharedServer().connectString,
      ZK_LOCK_ROOT: ownRoot(),
      ZK_LOCK_TICK_TIME: '500ms',
    };
    const words = ['--no-install', 'zk-lock', 'run', 'a', '--', 'sh', '-c', 'echo "$ZK_LOCK_KEY"'];
    const { stdout } = await run('npx', words, { cwd, env });
    expect(stdout).toBe('a\n');
    const help = await run('npx', ['--no-install', 'zk-embedded', '--help'], { cwd });
    expect(help.stdout).toContain('--port');
  },
);
