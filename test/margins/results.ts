import { LINK_FREEZES } from '../support/link-freezes.js';
import type { LibraryName } from './libraries.js';
import type { Sample } from './round.js';

export const SCENARIOS = [
  ...LINK_FREEZES.map(({ name }) => name),
  'follower off its leader',
  'leader off its quorum',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface Result extends Sample {
  readonly library: LibraryName;
  readonly scenario: Scenario;
}

export type OnResult = (result: Result) => void;
