import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';

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

/** Compiles sources that use Curator into a folder. */
export async function compileWithCurator(classes: string, files: readonly string[]): Promise<void> {
  await promisify(execFile)('javac', [
    ...quickStart.map((option) => `-J${option}`),
    ...['-proc:none', '-nowarn', '-encoding', 'UTF-8'],
    ...['-cp', jars.join(delimiter), '-d', classes],
    ...files,
  ]);
}

/**
 * What to call `java` with, to run a class of that folder.
 *
 * @param java what Java itself is started with; by default, what makes it start quickly
 */
export function curatorArguments(
  classes: string,
  main: string,
  java: readonly string[] = ['-Xmx128m', ...quickStart],
): string[] {
  return [
    ...java,
    // Else the client asks for the name of the server's address each time it connects.
    '-Dzookeeper.sasl.client=false',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
    ...['-cp', [classes, ...jars].join(delimiter), main],
  ];
}
