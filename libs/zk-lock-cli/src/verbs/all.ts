import type { Verb } from '../verb.js';
import { breakLock } from './break.js';
import { completionOf } from './completion.js';
import { doctor } from './doctor.js';
import { elect } from './elect.js';
import { hold } from './hold.js';
import { jobs } from './jobs.js';
import { ls } from './ls.js';
import { revoke } from './revoke.js';
import { run } from './run.js';
import { show } from './show.js';
import { watch } from './watch.js';

/** In the order of the list that `zk-lock help` prints. */
export const VERBS: readonly Verb[] = [
  ...[run, hold, elect, ls, jobs, show, watch, revoke, breakLock, doctor],
  completionOf(() => VERBS),
];

export function findVerb(name: string): Verb | undefined {
  return VERBS.find((verb) => verb.name === name);
}
