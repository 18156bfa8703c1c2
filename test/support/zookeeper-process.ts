import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnProcess } from './own-process.js';
import { waitFor } from './wait-for.js';
import { withWrongClock } from './wrong-clock.js';
import { zooKeeperCommand } from './zookeeper-command.js';

/** One running server process (`QuorumPeerMain`), from its start to its end. */
export class ZooKeeperProcess extends OwnProcess {
  constructor(clockOffsetMs: number, ...command: Parameters<typeof zooKeeperCommand>) {
    super(withWrongClock(clockOffsetMs, zooKeeperCommand(...command)));
    this.child.stdout.resume();
  }

  /** Stops the process, and waits until all of its threads are stopped. */
  async pause(): Promise<void> {
    this.signal('SIGSTOP');
    await waitFor(() => threadStates(this.pid).every((state) => state === 'T'), {
      what: `process ${String(this.pid)} to be stopped`,
      intervalMs: 1,
    });
  }

  resume(): void {
    this.signal('SIGCONT');
  }
}

/** The states of all threads: `T` is stopped. In `stat`, it follows the name in parentheses. */
function threadStates(pid: number): (string | undefined)[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).map(
    (task) => /\) (\w)/.exec(readFileSync(join(tasks, task, 'stat'), 'utf8'))?.[1],
  );
}
