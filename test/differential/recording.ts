import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Transcript } from './play.js';

const directory = join(import.meta.dirname, 'recordings');

/** What servers of a version answered, by the names of the scripts. */
export type Recording = Readonly<Record<string, Transcript>>;

export const VERSIONS = readdirSync(directory).map((name) => basename(name, '.json'));

export function fileOf(version: string): string {
  return join(directory, `${version}.json`);
}

export function readRecording(version: string): Recording {
  return JSON.parse(readFileSync(fileOf(version), 'utf8')) as Recording;
}
