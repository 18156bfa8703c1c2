import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandProcess } from '../../test/support/command-process.js';
import { compileWithCurator, curatorArguments } from '../../test/support/curator-java.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import type { Contender } from './contender.js';
import { Driver } from './driver.js';

const SOURCES = fileURLToPath(new URL('../peers/curator', import.meta.url));

export const CURATOR = 'curator';

export const curator: Contender = {
  name: CURATOR,
  about: 'Apache Curator: one JVM and client, a thread with an `InterProcessMutex` for each task',
  backend: 'zookeeper',
  skills: ['own', 'one', 'mixed', 'try'],
  maxWaiters: 1_000,
  async start(servers) {
    compiled ??= compile();
    // No options for Java: it is to compile what runs often as well as it can.
    const args = [...curatorArguments(await compiled, 'Driver', []), servers, `/bench/${CURATOR}`];
    return new Driver(await CommandProcess.start('java', args, { name: 'the driver of Curator' }));
  },
};

let compiled: Promise<string> | undefined;

async function compile(): Promise<string> {
  const classes = makeTempDir('bench-curator');
  const names = readdirSync(SOURCES).filter((name) => name.endsWith('.java'));
  await compileWithCurator(
    classes,
    names.map((name) => join(SOURCES, name)),
  );
  return classes;
}
