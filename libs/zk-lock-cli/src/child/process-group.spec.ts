import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { replaceBuiltin } from '../../../../test/support/replace-builtin.js';
import { ProcessGroup } from './process-group.js';

/** What a look at the processes misses, by the number of looks. */
const missed: boolean[] = [];
const { readdirSync } = fs;
replaceBuiltin(fs, 'readdirSync', ((path: string) =>
  path === '/proc' && missed.shift() ? [] : readdirSync(path)) as typeof readdirSync);

it.skipIf(process.platform !== 'linux')(
  'does not count as ended while a look has missed a process that was born during it',
  async () => {
    const child = spawn('sleep', ['60'], { detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const group = ProcessGroup.of(child.pid!, false);
    missed.push(true);
    expect(group.isAlive()).toBe(true);
    expect(missed).toEqual([]);
    child.kill('SIGKILL');
    await group.gone();
    expect(group.isAlive()).toBe(false);
  },
);
