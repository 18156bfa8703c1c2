import type { Verb } from '../verb.js';
import { elect } from './elect.js';
import { hold } from './hold.js';
import { revoke } from './revoke.js';
import { run } from './run.js';

/** In the order of the list that `zk-lock help` prints. */
export const VERBS: readonly Verb[] = [run, hold, elect, revoke];

export function findVerb(name: string): Verb | undefined {
  return VERBS.find((verb) => verb.name === name);
}
