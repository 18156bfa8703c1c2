import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transcript } from './play.js';

/** The answers of servers of one version, by the names of the scripts. */
export type Recording = Readonly<Record<string, Transcript>>;

export const RECORDINGS_FILE = join(import.meta.dirname, 'recordings.txt');

/** In place of the results when a script has changed since the recording. */
export const NOT_RECORDED = 'not recorded yet';

type Step = Transcript[number];
type Entry = [version: string, recording: Recording];

const HEAD = 'Recorded on ZooKeeper ';
const TITLE = '# ';
const VERSION = '    in ';
const ANSWERS = ' => ';
const AND = ' | ';

/**
 * For each script, writes a line with its name, and for each step a line with its text and what the
 * connections received. If servers of a later version answered differently, a line below the step
 * says what they answered. All recordings have the same scripts with the same steps.
 */
export function writeRecordings(recordings: ReadonlyMap<string, Recording>): string {
  const [[, base], ...others] = [...recordings] as [Entry, ...Entry[]];
  const lines = [HEAD + [...recordings.keys()].join(', ')];
  for (const [name, transcript] of Object.entries(base)) {
    lines.push('', TITLE + name);
    for (const [index, [step, ...heard]] of transcript.entries()) {
      lines.push(lineOf(step, heard));
      for (const [version, recording] of others) {
        const [, ...otherHeard] = recording[name]![index]!;
        const isAlike = otherHeard.join(AND) === heard.join(AND);
        if (!isAlike) lines.push(VERSION + lineOf(version, otherHeard));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The recordings by version, the earliest first. */
export function readRecordings(): ReadonlyMap<string, Recording> {
  const [head = '', ...lines] = readFileSync(RECORDINGS_FILE, 'utf8').split('\n');
  const versions = head.slice(HEAD.length).split(', ');
  const all = new Map<string, Record<string, Step[]>>(versions.map((version) => [version, {}]));
  let name = '';
  for (const line of lines.filter((one) => one !== '')) {
    if (line.startsWith(TITLE)) {
      name = line.slice(TITLE.length);
      for (const recording of all.values()) recording[name] = [];
    } else if (line.startsWith(VERSION)) {
      const [version, ...heard] = stepOf(line.slice(VERSION.length));
      const steps = all.get(version)![name]!;
      steps.push([steps.pop()![0], ...heard]);
    } else for (const recording of all.values()) recording[name]!.push(stepOf(line));
  }
  return all;
}

function lineOf(what: string, heard: readonly string[]): string {
  return heard.length === 0 ? what : what + ANSWERS + heard.join(AND);
}

function stepOf(line: string): Step {
  const [what = '', heard] = line.split(ANSWERS);
  return [what, ...(heard === undefined ? [] : heard.split(AND))];
}
