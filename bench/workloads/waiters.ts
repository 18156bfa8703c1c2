import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultProxy } from '../../test/support/fault-proxy.js';
import { fourLetterWord } from '../../test/support/four-letter-word.js';
import { waitFor } from '../../test/support/wait-for.js';
import type { Contender } from '../contenders/contender.js';
import type { Driver } from '../contenders/driver.js';
import { residentBytes } from '../measure/process-gauge.js';
import type { Sample } from '../measure/results.js';
import { percentileOf } from '../measure/statistics.js';
import { warmUp } from '../measure/warm-up.js';
import { WAITER_COLUMNS } from '../report/column.js';
import type { Workload } from './workload.js';

const PATIENCE_MS = 60_000;
const QUIET_MS = 500;

/** The workload with the most waiters. */
export const TEN_THOUSAND = '10,000 waiters';

/** With fewer waiters, the memory that the process uses in any case hides the cost of each. */
const MANY = 1_000;

/** Each round has its own process, because a process does not return memory. */
const someRounds = (asked: number): number => Math.min(3, Math.ceil(asked / 2));

/** Many waiters for one key in one process, and the cost of handing the lock to the next one. */
export const waiters: readonly Workload[] = [10, 1_000, 10_000].map((count) => ({
  name: `${count.toLocaleString('en')} waiters`,
  about: `${count.toLocaleString('en')} tasks of one process wait for one key, and each releases the lock as soon as it has it. A relay between client and server counts the packets.`,
  place: 'alone',
  columns: WAITER_COLUMNS,
  someRounds,
  suits: ({ maxWaiters }) => maxWaiters >= count,
  async open(stage, contender) {
    const proxy = await stage.openCounter();
    const [port = 0] = await stage.ports('zookeeper');
    const line = new MeasuredLine(contender, count, proxy, port);
    return (seconds) => line.round(seconds);
  },
}));

interface ServerCounts {
  readonly nodes: number;
  readonly watches: number;
}

class MeasuredLine {
  #rounds = 0;

  constructor(
    private readonly contender: Contender,
    private readonly waiters: number,
    private readonly proxy: FaultProxy,
    private readonly serverPort: number,
  ) {}

  async round(seconds: number): Promise<Sample> {
    const empty = await this.#serverCounts();
    const driver = await this.contender.start(this.proxy.connectString);
    try {
      const load = { work: 'write', keys: 'own', tasks: 16, name: 'warm-up' } as const;
      await warmUp(seconds, async (window) => {
        const { cycles } = await driver.run(load, window);
        return cycles.reduce((a, b) => a + b, 0);
      });
      return await this.#measure(driver, empty);
    } finally {
      await driver.stop();
      // If the process was killed, its nodes remain as long as its session.
      const isEmpty = async (): Promise<boolean> => {
        const { nodes, watches } = await this.#serverCounts();
        return nodes <= empty.nodes && watches <= empty.watches;
      };
      await waitFor(isEmpty, {
        what: 'the waiters’ nodes and watches to go',
        timeoutMs: PATIENCE_MS,
        intervalMs: 50,
      });
    }
  }

  async #measure(driver: Driver, empty: ServerCounts): Promise<Sample> {
    const before = await memoryOf(driver);
    const startedAt = performance.now();
    await driver.fill(this.waiters, `line-${this.waiters}-${this.#rounds++}`);
    const full = await this.#filled(empty);
    const filledAt = performance.now() - QUIET_MS;
    const stall = await driver.stall();
    const after = await memoryOf(driver);
    const each = (sum: number): number => sum / this.waiters;
    return {
      ...(await this.#handOver(driver)),
      watches: each(full.watches - empty.watches),
      ...(this.waiters >= MANY && {
        joinMs: each(filledAt - startedAt),
        residentBytes: each(after.resident - before.resident),
        ...(stall !== null && { stallMs: stall }),
        ...(before.heap !== null && { heapBytes: each((after.heap ?? NaN) - before.heap) }),
      }),
    };
  }

  /** The first handovers warm up. Enough waiters must remain for the queue to be long. */
  async #handOver(driver: Driver): Promise<Record<string, number>> {
    const warmUp = Math.ceil(Math.min(this.waiters, 100) / 5);
    const count = Math.min(this.waiters, 100 + warmUp) - warmUp;
    await driver.hand(warmUp);
    // Later messages of these handovers are not counted.
    await sleep(QUIET_MS);
    await this.proxy.resetCounters();
    const each = await driver.hand(count);
    const ms = each.reduce((a, b) => a + b, 0);
    // The last messages of a grant also count.
    await sleep(QUIET_MS);
    const [requests, events, bytes] = await Promise.all([
      ...[this.#asked(), this.proxy.notifications(), this.proxy.bytes()],
    ] as const);
    return {
      perSecond: (count * 1_000) / ms,
      handOverMs: ms / count,
      handOverP99: percentileOf(each, 99) ?? NaN,
      requests: requests / count,
      events: events / count,
      bytes: (bytes.client + bytes.server) / count,
    };
  }

  /** Resolves once all waiters have their watches, and no further requests are sent. */
  #filled({ watches }: ServerCounts): Promise<ServerCounts> {
    return waitFor(
      async () => {
        const now = await this.#serverCounts();
        if (now.watches < watches + this.waiters) throw new Error(JSON.stringify(now));
        const asked = await this.#asked();
        await sleep(QUIET_MS);
        return (await this.#asked()) === asked && (await this.#serverCounts());
      },
      { what: `${this.waiters} waiters to be in line`, timeoutMs: PATIENCE_MS, intervalMs: 100 },
    );
  }

  /** The number of requests that were sent, without heartbeats. */
  async #asked(): Promise<number> {
    const { ping: _, sync: __, heartbeat: ___, ...asked } = await this.proxy.requests();
    return Object.values(asked).reduce((a, b) => a + b, 0);
  }

  async #serverCounts(): Promise<ServerCounts> {
    const answer = await fourLetterWord(this.serverPort, 'mntr', 30_000);
    const read = (name: string): number =>
      Number(new RegExp(`^zk_${name}\\t(\\d+)`, 'm').exec(answer)?.[1]);
    return { nodes: read('ephemerals_count'), watches: read('watch_count') };
  }
}

async function memoryOf(driver: Driver): Promise<{ heap: number | null; resident: number }> {
  const heap = await driver.memory();
  return { heap, resident: residentBytes(driver.pid) };
}
