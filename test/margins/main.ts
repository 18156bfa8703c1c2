/**
 * How long before the next grant a former holder is told, for us, Curator and kazoo, over many
 * freezes of the link to the server, and of the links between servers.
 *
 *   npm run margins -- --library ours --freezes 500 --seed 1
 *
 * Ends with 1 when one of our holders was not told first. Each freeze is a line of
 * `reports/margins.jsonl`.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { freezeEnsembles } from './ensemble-freezes.js';
import { prepare, type LibraryName } from './libraries.js';
import { freezeLinks } from './link-freezes.js';
import { parseOptions } from './options.js';
import { Progress } from './progress.js';
import { failuresOf, table } from './report.js';
import type { Result } from './results.js';
import { versions } from './versions.js';

const LOG = 'reports/margins.jsonl';

const options = parseOptions(process.argv.slice(2));
const { libraries: names, ensembleFreezes, sessionTimeoutMs, tickTimeMs } = options;
const freezesOf = (name: LibraryName): number =>
  name === 'ours' ? options.freezes : options.peerFreezes;
const total = names.reduce((sum, name) => sum + freezesOf(name) + 2 * ensembleFreezes, 0);
const results: Result[] = [];
const progress = new Progress(total);
const onResult = (result: Result): void => {
  results.push(result);
  appendFileSync(LOG, `${JSON.stringify(result)}\n`);
  progress.on(result);
};
const print = (...lines: readonly string[]): void => {
  process.stdout.write(`${lines.join('\n')}\n`);
};

async function measure(): Promise<void> {
  const libraries = await prepare(names);
  {
    await using server = await ZooKeeperServer.start({ tickTimeMs });
    print(await versions(server));
    for (const library of libraries) {
      await freezeLinks(library, server, options, freezesOf(library.name), onResult);
    }
  }
  await freezeEnsembles(libraries, options, onResult);
}

function report(): void {
  const load = loadavg()[2]!.toFixed(1);
  print(
    `seed ${options.seed}, session timeout T = ${sessionTimeoutMs} ms, tickTime ${tickTimeMs} ms, ` +
      `${options.lanes} holders at a time`,
    `${availableParallelism()} cores, load average ${load} over the last 15 minutes`,
    'margin = next grant − told, in ms (in session timeouts); told late: margin ≤ 0',
    ...['', table(results, options)],
  );
}

mkdirSync('reports', { recursive: true });
writeFileSync(LOG, '');
// What was measured before a failure is worth as much as before.
await measure().finally(() => {
  progress.end();
  report();
});

const failures = failuresOf(results, 'ours').length;
if (failures > 0) {
  print('', `${failures} of our holders were told too late.`);
  process.exitCode = 1;
}
