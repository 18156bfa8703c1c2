import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Locks } from 'zk-locks';
import { LockWorker } from '../support/lock-worker.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import type { RunBegun } from '../workers/lock/protocol.js';

const FIRINGS = 70;
const EVERY_MS = 400;
/** A run may be a tenth early. */
const LEAST_MS = EVERY_MS * 0.9;
const SESSION = { sessionTimeoutMs: 2_000, tickTimeMs: 500 };
const HOUR_MS = 3_600_000;
const REPLICA_CLOCKS = [-2 * HOUR_MS, 0, 2 * HOUR_MS];
const SERVER_CLOCKS = [HOUR_MS, 0, -HOUR_MS];
/** One replica is killed in each so many firings, and the leader in each so many. */
const KILLS = 10;
const FAILOVERS = 40;

it('runs a job in each firing and never twice in its time, over wrong clocks, kills and failovers', async () => {
  await using ensemble = await ZooKeeperEnsemble.start({ clockOffsetsMs: SERVER_CLOCKS });
  const servers = ensemble.connectString;
  const options = { servers, client: 'wire', ...SESSION, acquireTimeoutMs: 60_000 } as const;
  const runs: RunBegun[] = [];
  const missed: number[] = [];
  const replicas: LockWorker[] = [];
  const open = async (index: number): Promise<LockWorker> => {
    const worker = await LockWorker.start(options, REPLICA_CLOCKS[index]);
    replicas[index] = worker;
    return worker;
  };
  const fire = async (): Promise<number> => {
    const firing = [...replicas];
    await Promise.allSettled(firing.map((replica) => replica.runJob('job', EVERY_MS, 20)));
    const begun = firing.flatMap((replica) => replica.runs.splice(0));
    runs.push(...begun);
    return begun.length;
  };

  try {
    await Promise.all(REPLICA_CLOCKS.map((_, index) => open(index)));
    for (let firing = 0; firing < FIRINGS; firing++) {
      const victim = firing % replicas.length;
      const isKill = firing % KILLS === 5;
      const killing = isKill && sleep(Math.random() * 60).then(() => kill(replicas[victim]));
      // A runner that is killed behind its record has run as well, as far as ZooKeeper can tell.
      if ((await fire()) === 0 && !isKill) missed.push(firing);
      if (isKill) {
        await killing;
        await open(victim);
      }
      if (firing % FAILOVERS === 20) await (await ensemble.leader()).restart();
      // Not due: it runs where this machine was too slow to ask in time.
      await sleep(Math.random() * LEAST_MS);
      await fire();
      await sleep(EVERY_MS);
    }
  } finally {
    await Promise.all(replicas.map(kill));
  }

  runs.sort((one, other) => one.ranAt - other.ranAt);
  const apart = runs.slice(1).map(({ ranAt }, index) => ranAt - (runs[index]?.askedAt ?? NaN));
  expect(apart.filter((ms) => ms < LEAST_MS)).toEqual([]);
  expect(missed).toEqual([]);
  const locks = new Locks(options);
  await locks.start();
  expect(await locks.lastRun('job')).toBeDefined();
  await locks.close();
}, 900_000);

async function kill(replica: LockWorker | undefined): Promise<void> {
  replica?.signal('SIGKILL');
  await replica?.ended;
}
