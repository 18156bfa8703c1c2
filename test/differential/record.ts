/**
 * Plays all scripts on real servers and writes what they answer to `recordings.txt`:
 *
 *   npx tsx test/differential/record.ts                       the installed ZooKeeper
 *   ZOOKEEPER_HOME=/some/dir npx tsx test/differential/record.ts
 *
 * With words behind it, only the scripts whose names contain one of them are played again.
 */
import { writeFileSync } from 'node:fs';
import { play, type Transcript } from './play.js';
import { RealStage } from './real-stage.js';
import {
  NOT_RECORDED,
  readRecordings,
  type Recording,
  RECORDINGS_FILE,
  writeRecordings,
} from './recording.js';
import { kills, type Script } from './script.js';
import { SCRIPTS } from './scripts/index.js';
import { textOf } from './steps.js';

const words = process.argv.slice(2);
const isWanted = ({ name }: Script): boolean =>
  words.length === 0 || words.some((word) => name.includes(word));

/** Groups of scripts that can be played on the same servers, one after the other. */
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
const recordings = new Map(readRecordings());
recordings.set(version, { ...recordings.get(version), ...recording });

/** The recorded transcript of a script in its present form. */
function transcriptOf({ name, steps }: Script, known: Recording): Transcript {
  const texts = steps.map(textOf);
  const isOfToday = known[name]?.map(([text]) => text).join('\n') === texts.join('\n');
  return isOfToday ? known[name]! : texts.map((text) => [text, NOT_RECORDED]);
}

const ofToday = [...recordings].map(([each, known]): [string, Recording] => [
  each,
  Object.fromEntries(SCRIPTS.map((script) => [script.name, transcriptOf(script, known)])),
]);
writeFileSync(RECORDINGS_FILE, writeRecordings(new Map(ofToday)));
process.stdout.write(`written to ${RECORDINGS_FILE}\n`);
process.exit();
