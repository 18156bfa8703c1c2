import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { Replica } from './replica.js';
import { type SaleDay, sellOut } from './sale-day.js';
import { readSettings } from './settings.js';
import { StartError } from './start-error.js';

const PURCHASES = 100;

interface Comparison {
  readonly unlocked: SaleDay;
  readonly locked: SaleDay;
}

async function compare(folder: string, interrupted: AbortSignal): Promise<Comparison> {
  const { zkConnect } = readSettings(process.env);
  await using own = zkConnect === undefined ? await EmbeddedZooKeeper.start() : undefined;
  const servers = own?.connectString ?? zkConnect ?? '';
  console.log(`ZooKeeper: ${own ? 'embedded in this process at ' : ''}${servers}`);
  const stateFile = join(folder, 'sales.jsonl');
  const start = (name: string) => Replica.start({ name, zkConnect: servers, stateFile });
  await using first = await start('A');
  await using second = await start('B');
  const urls = [first.url, second.url];
  console.log(`Replicas: ${urls.join(', ')}`);
  console.log(`Selling ${PURCHASES} tickets through both replicas at the same time, twice …`);
  // Uses shows of its own, so that a ZooKeeper in use is not disturbed.
  const run = randomUUID().slice(0, 8);
  return {
    unlocked: await sellOut(`unlocked-${run}`, PURCHASES, urls, '?lock=none', interrupted),
    locked: await sellOut(`locked-${run}`, PURCHASES, urls, '', interrupted),
  };
}

function report({ unlocked, locked }: Comparison): boolean {
  console.table({ 'without a lock': unlocked, 'with @Locked()': locked });
  const complete = locked.counted === PURCHASES;
  console.log(
    complete
      ? `With the lock every ticket was counted; without it ${unlocked.lost} were lost.`
      : `With the lock ${locked.counted} of ${PURCHASES} tickets were counted: the lock does not hold!`,
  );
  return complete;
}

async function main(): Promise<number> {
  const interrupted = new AbortController();
  let status = 1;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      status = 128 + constants.signals[signal];
      interrupted.abort();
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'nestjs-zk-lock-demo-'));
  try {
    return report(await compare(folder, interrupted.signal)) ? 0 : 1;
  } catch (error) {
    if (!interrupted.signal.aborted) {
      console.error(error instanceof StartError ? error.message : error);
    }
    return status;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
