import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Debian's packages `libcurator-recipes-java`; the jars' manifests name their dependencies. */
const jars = [
  'curator-recipes',
  'curator-framework',
  'curator-client',
  'guava',
  'zookeeper',
  'zookeeper-jute',
  'slf4j-simple',
].map((name) => `/usr/share/java/${name}.jar`);

/** These programs run for seconds only, so the second compiler would not pay. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];

/**
 * Cache of compiled classes, by the hash of their sources: compiling takes seconds, and minutes on
 * a busy machine.
 */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/curator-java', import.meta.url));

/**
 * Compiles sources that use Curator, unless the cache has them.
 *
 * @returns the folder of their classes
 */
export async function compileWithCurator(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(jars.join());
  for (const file of files) hash.update(readFileSync(file));
  const compiled = join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(compiled)) return compiled;
  await mkdir(CACHE, { recursive: true });
  const classes = await mkdtemp(`${compiled}-`);
  await promisify(execFile)('javac', [
    ...quickStart.map((option) => `-J${option}`),
    ...['-proc:none', '-nowarn', '-encoding', 'UTF-8'],
    ...['-cp', jars.join(delimiter), '-d', classes],
    ...files,
  ]);
  // Renamed atomically, because another process may be reading or writing the same entry.
  await rename(classes, compiled).catch(() => rm(classes, { recursive: true }));
  return compiled;
}

/**
 * The command line of `java` for a class of such a folder.
 *
 * @param java options of Java itself; by default, those for a quick start
 */
export function curatorArguments(
  classes: string,
  main: string,
  java: readonly string[] = ['-Xmx128m', ...quickStart],
): string[] {
  return [
    ...java,
    // Otherwise the client resolves the name of the server's address each time it connects.
    '-Dzookeeper.sasl.client=false',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
    ...['-cp', [classes, ...jars].join(delimiter), main],
  ];
}
