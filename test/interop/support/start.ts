import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Partner } from './partner.js';

/** Starts a partner that connects to this connect string. */
export type StartPartner = (connectString: string, sessionTimeoutMs?: number) => Promise<Partner>;

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Debian's, which has kazoo from the package `python3-kazoo`; on the PATH may be another one. */
const PYTHON = '/usr/bin/python3';

export const startKazoo: StartPartner = (connectString, sessionTimeoutMs = 10_000) =>
  Partner.start(PYTHON, [
    ...['-B', here('partners/kazoo_partner.py')],
    ...[connectString, String(sessionTimeoutMs)],
  ]);

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

/** What is compiled runs for seconds only: the second compiler would not pay. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];

/** Compiles the partner and the example that it runs into a folder. */
export async function compileCurator(classes: string): Promise<void> {
  const sources = ['partners/curator', 'examples'].map(here).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(folder, name)),
  );
  await promisify(execFile)('javac', [
    ...quickStart.map((option) => `-J${option}`),
    ...['-proc:none', '-encoding', 'UTF-8', '-cp', jars.join(delimiter), '-d', classes],
    ...sources,
  ]);
}

/** Starts what was compiled into a folder. */
export function curatorIn(classes: string): StartPartner {
  return (connectString, sessionTimeoutMs = 10_000) =>
    Partner.start('java', [
      ...['-Xmx128m', ...quickStart],
      // Else the client asks for the name of the server's address each time it connects.
      '-Dzookeeper.sasl.client=false',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
      ...['-cp', [classes, ...jars].join(delimiter), 'Partner'],
      ...[connectString, String(sessionTimeoutMs)],
    ]);
}
