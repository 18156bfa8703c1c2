import { parseArgs } from 'node:util';
import { CONTENDERS } from './contenders/contenders.js';
import type { Contender } from './contenders/contender.js';
import { BEFORE, oursOf } from './contenders/ours.js';
import { RAW_QUEUE } from './contenders/raw.js';
import { GOALS } from './report/goals.js';
import { VISITED } from './workloads/own-keys.js';
import { FOUR_DISTANT } from './workloads/round-trip.js';
import type { Workload } from './workloads/workload.js';
import { WORKLOADS } from './workloads/workloads.js';

export interface BenchOptions {
  /** The duration of each contender's rounds, in seconds. */
  readonly seconds: number;
  /** The number of rounds, not counting the warm-up. */
  readonly rounds: number;
  readonly workloads: readonly Workload[];
  readonly contenders: readonly Contender[];
  /** Whether everything is measured at full length, so that the results are worth keeping. */
  readonly isWhole: boolean;
  /** Publishes the results of an earlier run instead of measuring. */
  readonly publish?: string;
}

const WHOLE = { seconds: 3, rounds: 5 };
const QUICK = { seconds: 0.25, rounds: 2 };

const list = (entries: readonly { name: string }[]): string =>
  entries.map(({ name }) => `  ${name}`).join('\n');

export const USAGE = `npm run bench -- [options]

  --quick            as short as possible, too short for figures to keep
  --goals            only workloads and contenders that a goal is about, the visitor, the longer round trip,
                     and the bare recipe
  --workload TEXT    only workloads whose name has this text in it; may be given several times
  --contender TEXT   only contenders whose name has this text in it; may be given several times
  --against DIR      also what another checkout of this repository has built, as "${BEFORE}"
  --seconds N        how long each contender works in each round (${WHOLE.seconds}; quick: ${QUICK.seconds})
  --rounds N         how many rounds count, after the warm-up (${WHOLE.rounds}; quick: ${QUICK.rounds})

  --publish FILE     measures nothing, and has all documents quote the results.json of a run

A whole run writes bench/results.json and all that is made of it: bench/RESULTS.md, and the figures
in docs. Any other run writes reports/bench.

Workloads:
${list(WORKLOADS)}

Contenders:
${list(CONTENDERS)}`;

/** @throws {Error} if an argument is invalid */
export function parseCommandLine(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      goals: { type: 'boolean', default: false },
      publish: text,
      workload: { ...text, multiple: true },
      contender: { ...text, multiple: true },
      against: text,
      seconds: text,
      rounds: text,
    },
  });
  const length = values.quick ? QUICK : WHOLE;
  const { seconds, rounds } = values;
  const workloads = pick('workload', WORKLOADS, values.workload).filter(
    ({ name }) =>
      !values.goals ||
      [VISITED, FOUR_DISTANT, ...GOALS.map(({ workload }) => workload)].includes(name),
  );
  const picked = pick('contender', CONTENDERS, values.contender).filter(
    ({ name }) =>
      !values.goals || [RAW_QUEUE, ...GOALS.flatMap((goal) => goal.contenders)].includes(name),
  );
  const { against } = values;
  const contenders = against === undefined ? picked : [...picked, oursOf(against)];
  const some = workloads.filter((workload) => contenders.some((one) => workload.suits(one)));
  if (some.length === 0)
    throw new Error('none of these contenders supports any of these workloads');
  return {
    seconds: seconds === undefined ? length.seconds : toNumber('seconds', seconds, 0.05, 600),
    rounds: rounds === undefined ? length.rounds : toWhole('rounds', rounds, 1, 1_000),
    ...{ workloads: some, contenders },
    isWhole: Object.values(values).every((value) => value === false),
    ...(values.publish !== undefined && { publish: values.publish }),
  };
}

function pick<T extends { name: string }>(
  option: string,
  all: readonly T[],
  texts: readonly string[] | undefined,
): readonly T[] {
  if (!texts) return all;
  for (const text of texts) {
    if (!all.some((one) => matches(one.name, text))) {
      throw new Error(`--${option}: no ${option} has "${text}" in its name`);
    }
  }
  return all.filter(({ name }) => texts.some((text) => matches(name, text)));
}

function matches(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}

function toNumber(option: string, text: string, lowest: number, highest: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= lowest && value <= highest) return value;
  throw new Error(`--${option}: expected a number from ${lowest} to ${highest}, got "${text}"`);
}

function toWhole(option: string, text: string, lowest: number, highest: number): number {
  const value = toNumber(option, text, lowest, highest);
  if (Number.isInteger(value)) return value;
  throw new Error(`--${option}: expected an integer, got "${text}"`);
}
