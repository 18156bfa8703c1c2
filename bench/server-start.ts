import { EmbeddedZooKeeper } from 'zk-embedded';
import { ZooKeeperServer } from '../test/support/zookeeper-server.js';
import { InspectClient } from '../test/support/inspect-client.js';

/**
 * Measures the time until a new server has answered a client's first request, and the time until it
 * has stopped. Embedded and real servers take turns.
 */
const ROUNDS = 10;
const WARM_UP = 2;

interface Server extends AsyncDisposable {
  readonly connectString: string;
  stop(): Promise<void>;
}

interface Times {
  readonly serving: number[];
  readonly answering: number[];
  readonly stopped: number[];
}

async function measure(start: () => Promise<Server>, times: Times): Promise<void> {
  const began = performance.now();
  const server = await start();
  times.serving.push(performance.now() - began);
  const client = await InspectClient.connect(server.connectString);
  await client.create('/first');
  times.answering.push(performance.now() - began);
  await client.close();
  const ending = performance.now();
  await server.stop();
  times.stopped.push(performance.now() - ending);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

const kinds = {
  embedded: { start: () => EmbeddedZooKeeper.start(), times: empty() },
  real: { start: () => ZooKeeperServer.start(), times: empty() },
};

function empty(): Times {
  return { serving: [], answering: [], stopped: [] };
}

for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  for (const kind of Object.values(kinds)) {
    await measure(kind.start, round < WARM_UP ? empty() : kind.times);
  }
}

const { embedded, real } = kinds;
const row = (name: keyof Times): Record<string, string> => {
  const [ours, theirs] = [median(embedded.times[name]), median(real.times[name])];
  return {
    'embedded (ms)': ours.toFixed(1),
    'real (ms)': theirs.toFixed(1),
    'real / embedded': (theirs / ours).toFixed(1),
  };
};
process.stdout.write(`Median of ${String(ROUNDS)} starts of each, in turn, in one process.\n`);
// eslint-disable-next-line no-console
console.table({
  'until it serves': row('serving'),
  'until a first create is answered': row('answering'),
  'until it has ended': row('stopped'),
});
