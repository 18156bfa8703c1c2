import { fourLetterWord } from '../../test/support/four-letter-word.js';
import { waitFor } from '../../test/support/wait-for.js';
import type { Contender } from '../contenders/contender.js';
import type { Driver } from '../contenders/driver.js';
import { packetsEach, readPackets } from '../measure/packets.js';
import { cpuMs } from '../measure/process-gauge.js';
import type { Sample } from '../measure/results.js';
import { runLength } from '../measure/run-length.js';
import { CROWD_COLUMNS, KEY_MEMORY_COLUMNS, PERMIT_COLUMNS } from '../report/column.js';
import { connectString } from '../servers/running-server.js';
import type { Stage } from '../servers/stage.js';
import type { Workload } from './workload.js';

const PROCESSES = 10;
const WAITERS = 1_000;
/** The time limit from the first request. Later grants are not counted. */
const LIMIT_SECONDS = 240;
const KEYS = 5_000;
const PERMITS = 5_000;

export const CROWD = '10 × 1,000 waiters, each served once';
export const KEY_MEMORY = 'memory of 5,000 keys';
export const PERMITS_AT_ONCE = '5,000 permits at once';

const common = {
  place: 'alone',
  someRounds: (asked: number) => Math.min(3, Math.ceil(asked / 2)),
  suits: ({ skills }: Contender) => skills.includes('scale'),
} as const;

/** Costs that grow with the number of waiters, keys and permits. */
export const scale: readonly Workload[] = [
  {
    ...common,
    name: CROWD,
    about: `${PROCESSES} processes with ${WAITERS.toLocaleString('en')} waiters each for one key, all of which are in the queue before the first one gets the lock, and release it at once. The run ends after ${LIMIT_SECONDS} s: “served” is the number of waiters that got the lock.`,
    columns: CROWD_COLUMNS,
    open: (stage, contender) => inRounds((round) => crowd(stage, contender, round)),
  },
  {
    ...common,
    name: KEY_MEMORY,
    about: `Growth of the JavaScript heap, after a garbage collection: for each of ${KEYS.toLocaleString('en')} held locks with different keys, and for each key after all locks were released.`,
    columns: KEY_MEMORY_COLUMNS,
    open: (stage, contender) =>
      inRounds(async (round) => {
        await using drivers = await Drivers.start(stage, contender, 1);
        const { held, released } = await drivers.first.keyMemory(KEYS, `m${round}`);
        return { heldBytes: held, releasedBytes: released };
      }),
  },
  {
    ...common,
    name: PERMITS_AT_ONCE,
    about: `One process asks for ${PERMITS.toLocaleString('en')} permits of one semaphore at once, in as many calls, and releases them when it has them all.`,
    columns: PERMIT_COLUMNS,
    open: (stage, contender) =>
      inRounds(async (round) => {
        await using drivers = await Drivers.start(stage, contender, 1);
        const { cpuMs, ms } = await drivers.first.permits(PERMITS, `p${round}`);
        return { permitsCpuMs: cpuMs, permitsMs: ms };
      }),
  },
];

function inRounds(measure: (round: number) => Promise<Sample>): Promise<() => Promise<Sample>> {
  let rounds = 0;
  return Promise.resolve(() => measure(rounds++));
}

/**
 * The processes of one round. Each round has new ones, because a process does not return memory.
 */
class Drivers implements AsyncDisposable {
  private constructor(readonly all: readonly Driver[]) {}

  static async start(stage: Stage, contender: Contender, count: number): Promise<Drivers> {
    const servers = connectString(await stage.ports('zookeeper'));
    return new Drivers(
      await Promise.all(Array.from({ length: count }, () => contender.start(servers))),
    );
  }

  get first(): Driver {
    const [first] = this.all;
    if (!first) throw new Error('no driver was started');
    return first;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((driver) => driver.stop()));
  }
}

async function crowd(stage: Stage, contender: Contender, round: number): Promise<Sample> {
  const [port = 0] = await stage.ports('zookeeper');
  const key = `crowd-${round}`;
  await using drivers = await Drivers.start(stage, contender, PROCESSES);
  const { all, first } = drivers;
  await first.fill(0, key);
  const holder = await ephemerals(port);
  const startedAt = performance.now();
  const serving = all.map((driver) => driver.serve(WAITERS, key, LIMIT_SECONDS));
  await waitFor(async () => (await ephemerals(port)) >= holder + PROCESSES * WAITERS, {
    what: 'all waiters to be queued',
    timeoutMs: LIMIT_SECONDS * 500,
    intervalMs: 50,
  });
  const joinMs = performance.now() - startedAt;
  const cpu = (): number => all.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const [packets, cpuBefore] = [await readPackets(port), cpu()];
  await first.letGo();
  const served = await Promise.all(serving);
  const grants = served.map((one) => one.grants);
  const times = grants.flat();
  const [begin, end] = times.reduce(
    ([least, most], at) => [Math.min(least, at), Math.max(most, at)],
    [Infinity, -Infinity],
  );
  return {
    perSecond: (times.length * 1_000) / (end - begin),
    served: times.length,
    ...{ joinMs, runLength: runLength(grants) ?? NaN },
    ...packetsEach(packets, await readPackets(port), times.length),
    cpuMicrosPerCycle: ((cpu() - cpuBefore) * 1_000) / times.length,
  };
}

async function ephemerals(port: number): Promise<number> {
  const answer = await fourLetterWord(port, 'mntr', 30_000);
  return Number(/^zk_ephemerals_count\t(\d+)/m.exec(answer)?.[1]);
}
