import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileWithCurator, curatorArguments } from '../../test/support/curator-java.js';
import type { Contender } from './contender.js';
import { Driver } from './driver.js';

const SOURCES = fileURLToPath(new URL('../peers/curator', import.meta.url));

export const CURATOR = 'curator';

export const CURATOR_SHARED = 'curator-shared';

export const curators: readonly Contender[] = [
  {
    name: CURATOR,
    about: 'Apache Curator: one JVM and client, a thread with an `InterProcessMutex` for each task',
    backend: 'zookeeper',
    skills: ['own', 'one', 'visited', 'mixed', 'try', 'random'],
    maxWaiters: 1_000,
    start: (servers) => start(CURATOR, servers),
  },
  {
    name: CURATOR_SHARED,
    about:
      'Apache Curator with one `InterProcessMutex` for all threads, as a field of a service would be',
    backend: 'zookeeper',
    skills: ['one', 'mixed'],
    maxWaiters: 0,
    start: (servers) => start(CURATOR_SHARED, servers, 'shared'),
  },
];

async function start(name: string, servers: string, ...options: string[]): Promise<Driver> {
  const names = readdirSync(SOURCES).filter((file) => file.endsWith('.java'));
  const classes = await compileWithCurator(names.map((file) => join(SOURCES, file)));
  // Without JVM options, so that the JIT compiler has its defaults.
  const java = curatorArguments(classes, 'Driver', []);
  const words = ['java', ...java, servers, `/bench/${name}`, ...options];
  return Driver.start(words, `the driver of ${name}`);
}
