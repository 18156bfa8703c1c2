import type { DialectName } from 'zk-locks';
import { countText, type TreeKey } from 'zk-locks/internal';
import { formatDuration } from '../duration.js';
import { heldSince, nameContender, problemsOf } from '../keys/describe-key.js';
import { type Finding, note, ok, problem } from './finding.js';

const MOST_SHOWN = 10;
const OLDEST_SHOWN = 3;

/** What the keys below the root show. */
export function examineKeys(
  keys: readonly TreeKey[],
  dialect: DialectName,
  now: number,
): readonly Finding[] {
  const held = keys.filter(({ holders }) => holders.length > 0).length;
  const waiting = keys.reduce((sum, { total, holders }) => sum + total - holders.length, 0);
  const summary = ok('keys', `${keys.length} in use, ${held} held, ${waiting} waiting`);
  const problems = keys.flatMap((key) => examine(key, dialect));
  const more = problems.length - MOST_SHOWN;
  return [
    summary,
    ...oldest(keys, now),
    ...problems.slice(0, MOST_SHOWN),
    ...(more > 0
      ? [
          note(
            'keys',
            countText(more, 'more finding'),
            '"zk-lock ls" lists the problems of all keys.',
          ),
        ]
      : []),
  ];
}

function examine(found: TreeKey, dialect: DialectName): Finding[] {
  const about = `key "${found.key}"`;
  const findings = problemsOf(found).map((each) => problem(about, each.problem, each.remedy));
  const [only, ...others] = found.dialects;
  if (only !== undefined && others.length === 0 && only !== dialect) {
    const message = `has nodes of the dialect ${only}, and --dialect is ${dialect}`;
    const remedy = `They do not exclude each other: set ZK_LOCK_DIALECT=${only}, or the other dialect in its programs.`;
    findings.push(problem(about, message, remedy));
  }
  return findings;
}

function oldest(keys: readonly TreeKey[], now: number): Finding[] {
  return keys
    .map((key) => ({ key, since: heldSince(key)?.getTime() ?? Infinity }))
    .filter(({ since }) => since < Infinity)
    .sort((a, b) => a.since - b.since)
    .slice(0, OLDEST_SHOWN)
    .map(({ key, since }) => {
      const [holder] = key.holders;
      const who = holder ? nameContender(holder) : '';
      return ok(`key "${key.key}"`, `held for ${formatDuration(now - since)} by ${who}`);
    });
}
