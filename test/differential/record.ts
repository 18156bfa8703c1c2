/**
 * Plays all scripts on real servers and writes what they answer to `recordings/<version>.json`:
 *
 *   npx tsx test/differential/record.ts                       the installed ZooKeeper
 *   ZOOKEEPER_HOME=/some/dir npx tsx test/differential/record.ts
 *
 * With words behind it, only the scripts whose names contain one of them are played again.
 */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { play, type Transcript } from './play.js';
import { RealStage } from './real-stage.js';
import { fileOf, readRecording, VERSIONS } from './recording.js';
import { kills, type Script } from './script.js';
import { SCRIPTS } from './scripts/index.js';

const words = process.argv.slice(2);
const isWanted = ({ name }: Script): boolean =>
  words.length === 0 || words.some((word) => name.includes(word));

/** Scripts that can be played on the same servers, one after the other. */
function groups(): Script[][] {
  const found = new Map<string, Script[]>();
  for (const one of SCRIPTS.filter(isWanted)) {
    const key = kills(one) ? one.name : JSON.stringify(one.setting);
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return [...found.values()];
}

const recording: Record<string, Transcript> = {};
let version = '';
for (const group of groups()) {
  await using stage = await RealStage.open(group[0]!.setting);
  await stage.begin();
  version = await stage.version();
  for (const { name, steps } of group) {
    process.stdout.write(`${name}\n`);
    recording[name] = await play(stage, `/script-${Object.keys(recording).length}`, steps);
  }
}
const file = fileOf(version);
const earlier = VERSIONS.includes(version) ? readRecording(version) : {};
const inOrder = SCRIPTS.map(({ name }) => [name, recording[name] ?? earlier[name]]);
const json = JSON.stringify(Object.fromEntries(inOrder));
writeFileSync(file, await format(json, { ...(await resolveConfig(file)), parser: 'json' }));
process.stdout.write(`written to ${file}\n`);
process.exit();
