import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ForeignClient } from '../support/foreign-client.js';

const sources = fileURLToPath(new URL('driver', import.meta.url));

/** Debian's packages `libcurator-recipes-java`; the jars name what they need in their manifests. */
const jars = [
  'curator-recipes',
  'curator-framework',
  'curator-client',
  'guava',
  'zookeeper',
  'zookeeper-jute',
  'slf4j-simple',
].map((name) => `/usr/share/java/${name}.jar`);

/** Most of what is compiled runs a few times only: the second compiler would not pay. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];

/** Compiles the driver into a folder. */
export async function compileCuratorDriver(classes: string): Promise<void> {
  const files = readdirSync(sources).filter((name) => name.endsWith('.java'));
  await promisify(execFile)('javac', [
    ...quickStart.map((option) => `-J${option}`),
    ...['-proc:none', '-nowarn', '-encoding', 'UTF-8'],
    ...['-cp', jars.join(delimiter), '-d', classes],
    ...files.map((name) => join(sources, name)),
  ]);
}

/** Starts the driver that was compiled into a folder. */
export function startCuratorDriver(classes: string, ...place: [string, string]): ForeignClient {
  return new ForeignClient('java', [
    '-Xmx128m',
    ...quickStart,
    // Else the client asks for the name of the server's address each time it connects.
    '-Dzookeeper.sasl.client=false',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
    ...['-cp', [classes, ...jars].join(delimiter)],
    'Driver',
    ...place,
  ]);
}
