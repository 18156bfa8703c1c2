import {
  ageText,
  countText,
  inSlices,
  problemsOf,
  problemsOfKey,
  shownText,
  type TreeKey,
  type TreeSight,
} from 'zk-locks/inspect';
import { heldSince, nameContender } from '../keys/describe-key.js';
import { problemView } from '../keys/problem-view.js';
import { type Finding, note, ok, problem } from './finding.js';

const MOST_SHOWN = 10;
const OLDEST_SHOWN = 3;

/** By default, ZooKeeper removes this many in two minutes, so fewer are normal. */
const MOST_EMPTY = 20_000;

/** The findings about the keys below the root. */
export async function examineKeys(sight: TreeSight, now: number): Promise<readonly Finding[]> {
  const keys = [...sight.keys.values()];
  const held = keys.filter(({ holders }) => holders.length > 0).length;
  const waiting = keys.reduce((sum, key) => sum + key.waiting, 0);
  const empty = keys.filter(isEmpty).length;
  const summary = ok('keys', `${keys.length - empty} in use, ${held} held, ${waiting} waiting`);
  const { worst, total } = await inSlices(problemsOf(sight, now));
  const shown = worst.slice(0, MOST_SHOWN).map(problemView);
  const findings = shown.map(({ severity, key, text, remedy }) => {
    const about = key === undefined ? 'keys' : `key "${shownText(key)}"`;
    return (severity === 'serious' ? problem : note)(about, text, remedy);
  });
  if (total > shown.length) {
    const more = countText(total - shown.length, 'more finding');
    findings.push(
      note('keys', `${more} not shown`, '"zk-lock ls" lists the problems of all keys.'),
    );
  }
  // For a key with a problem, its findings already say how it is held.
  const isHealthy = (key: TreeKey): boolean => problemsOfKey(key, sight, now).length === 0;
  return [summary, ...pileOf(empty), ...oldest(keys, isHealthy, now), ...findings];
}

/** Whether the key is only an empty directory, which ZooKeeper removes after a minute or two. */
function isEmpty({ total, strangerCount, isHidden, lastRun }: TreeKey): boolean {
  return total === 0 && strangerCount === 0 && !isHidden && lastRun === undefined;
}

function pileOf(empty: number): Finding[] {
  if (empty <= MOST_EMPTY) return [];
  const message = `${empty} directories of keys are empty: new ones come faster than ZooKeeper removes them`;
  const remedy =
    'Raise znode.container.maxPerMinute (10000) on all servers, or use fewer different keys: by default, ZooKeeper removes no more than 166 a second.';
  return [note('keys', message, remedy)];
}

/** @param isHealthy called only until enough keys are found */
function oldest(
  keys: readonly TreeKey[],
  isHealthy: (key: TreeKey) => boolean,
  now: number,
): Finding[] {
  const held = keys
    .map((key) => ({ key, since: heldSince(key)?.getTime() ?? Infinity }))
    .filter(({ since }) => since < Infinity)
    .sort((a, b) => a.since - b.since);
  const findings: Finding[] = [];
  for (const { key, since } of held) {
    if (findings.length === OLDEST_SHOWN) break;
    if (!isHealthy(key)) continue;
    const [holder] = key.holders;
    const who = holder ? nameContender(holder) : '';
    const message = `held for ${ageText(now - since)} by ${who}`;
    findings.push(ok(`key "${shownText(key.key)}"`, message));
  }
  return findings;
}
