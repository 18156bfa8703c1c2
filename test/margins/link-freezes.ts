import { setTimeout as sleep } from 'node:timers/promises';
import { FaultProxy } from '../support/fault-proxy.js';
import { LINK_FREEZES } from '../support/link-freezes.js';
import type { Library } from './libraries.js';
import { machineTime } from '../workers/soak/journal.js';
import type { MarginOptions } from './options.js';
import { phases, type Turns } from './phases.js';
import type { OnResult } from './results.js';
import { Round, type Pair } from './round.js';

type Lane = Pair & { readonly proxy: FaultProxy };

/**
 * So many freezes of one library's holders, the kinds in turn, several at a time: each holder has a
 * process, a proxy and a key of its own, and one process waits for all of them on the healthy way.
 */
export async function freezeLinks(
  library: Library,
  server: { readonly port: number; readonly connectString: string },
  options: MarginOptions,
  freezes: number,
  onResult: OnResult,
): Promise<void> {
  if (freezes === 0) return;
  const { sessionTimeoutMs, tickTimeMs } = options;
  const session = { sessionTimeoutMs, tickTimeMs };
  const waiter = await library.start({ ...session, servers: server.connectString });
  const lanes: Lane[] = [];
  try {
    // One after the other: processes that start at once keep each other waiting.
    while (lanes.length < Math.min(options.lanes, freezes)) {
      const proxy = await FaultProxy.start(server.port);
      const holder = await library.start({ ...session, servers: proxy.connectString });
      lanes.push({ proxy, holder, waiter, key: `lane-${lanes.length}` });
    }
    const turns = phases(options, freezes).entries();
    await Promise.all(lanes.map((lane) => freezeLane(library, lane, options, turns, onResult)));
  } finally {
    await Promise.all([waiter, ...lanes.map(({ holder }) => holder)].map((it) => it.stop()));
    await Promise.all(lanes.map(({ proxy }) => proxy.stop()));
  }
}

/** One freeze after the other, for as long as lanes find a turn that none has taken. */
async function freezeLane(
  library: Library,
  lane: Lane,
  { patienceMs }: MarginOptions,
  turns: Turns,
  onResult: OnResult,
): Promise<void> {
  for (const [number, pauseMs] of turns) {
    const { name: scenario, freeze } = LINK_FREEZES[number % LINK_FREEZES.length]!;
    const round = await Round.begin(lane);
    await sleep(pauseMs);
    const cutAt = machineTime();
    await freeze(lane.proxy);
    const sample = await round.outcome(cutAt, patienceMs);
    onResult({ library: library.name, scenario, ...sample });
    await lane.proxy.thaw();
    await round.end();
  }
}
