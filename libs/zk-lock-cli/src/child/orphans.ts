import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processes } from './process-group.js';

const LOOK_MS = 20;

/** A variable whose value is unique for each guard. */
const MARK = 'ZK_LOCK_RUN';

/** The environment of a guard and its command, by which the command can be found. */
export function marked(environment: Readonly<NodeJS.ProcessEnv>, run: string): NodeJS.ProcessEnv {
  return { ...environment, [MARK]: run };
}

/** Whether a process with this environment is part of a command of zk-lock. */
export function isMarked(environment: Readonly<NodeJS.ProcessEnv>): boolean {
  return environment[MARK] !== undefined;
}

/**
 * Kills a command whose guard was killed before it could report the start, and resolves when none of
 * its processes is running. Linux only.
 */
export async function killOrphans(run: string): Promise<void> {
  // A process may have forked and ended during a look, which then misses its child.
  for (let emptyLooks = 0; emptyLooks < 2;) {
    const found = findOrphans(`${MARK}=${run}`);
    emptyLooks = found.length === 0 ? emptyLooks + 1 : 0;
    for (const pid of found) kill(pid);
    if (found.length > 0) await sleep(LOOK_MS);
  }
}

function findOrphans(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}
