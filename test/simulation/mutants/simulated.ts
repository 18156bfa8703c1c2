import type { Mutant } from '../../soak/mutants/mutant.js';
import { MUTANTS } from '../../soak/mutants/mutants.js';

/** Mutants of which no simulated story can tell anything, by a part of the name, and why. */
const ELSEWHERE: readonly (readonly [name: string, reason: string])[] = [
  ['a circle is told that was not read again', 'changes a message alone'],
  ['whose data have the token of another session', 'needs a stranger that copies a token'],
  ['a number of permits is not held against', 'needs calls that disagree about the permits'],
  ['permits of two numbers', 'needs calls that disagree about the permits'],
  ['a node that may not be deleted', 'is about ACLs: no story has a user with a password'],
  ['equal sequence numbers ordered by UUID', 'needs two billion nodes in one directory'],
  [
    'what is not to be seen after a reconnect',
    'needs a leader that hears of a moved session before it looks at older requests: ours looks at each as it comes',
  ],
  ['what users send is not limited', 'needs servers or networks that many requests slow down'],
];

/** Mistakes in code that the simulation executes. */
export const SIMULATED: readonly Mutant[] = MUTANTS.filter(
  ({ name }) => !ELSEWHERE.some(([part]) => name.includes(part)),
);
