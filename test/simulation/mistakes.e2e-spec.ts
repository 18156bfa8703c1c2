import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Mutant } from '../soak/mutants/mutant.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import type { Job, Told } from './program.js';
import { bundle } from './tools/bundle.js';
import { runJobs } from './tools/run-jobs.js';

const LONG_MS = 120_000;
const directory = makeTempDir('planted');
afterAll(() => removeTempDir(directory));

interface Planted extends Mutant {
  readonly promise: string;
  /** The first seed of those that are tried: one that finds it soon. @default 1 */
  readonly seed?: number;
}

/** Mistakes in the libraries, each of which breaks one promise. */
const PLANTED: readonly Planted[] = [
  {
    name: 'a listener is never removed',
    file: 'observation/observe-session.ts',
    from: '}, stopAnswering);',
    to: '}, () => void stopAnswering);',
    promise: 'nothing left',
  },
  {
    seed: 17,
    name: 'a waiter watches all nodes that it knows',
    file: 'queue/key-queue.ts',
    from: 'this.#watch(blocker);',
    to: 'for (const { name } of this.#order) this.#watch(name);',
    promise: 'no herd',
  },
  {
    seed: 6,
    name: 'a job runs again before its time has passed',
    file: 'runs/run-record.ts',
    from: 'export const TOLERANCE = 0.1;',
    to: 'export const TOLERANCE = 0.9;',
    promise: 'runs',
  },
  {
    seed: 14,
    name: 'a user is told of no change after the first',
    file: 'znodes/zk-client.ts',
    from: 'onEvent: ({ type, path: where }) => onEvent(',
    to: "onEvent: ({ type, path: where }) => type !== 'changed' && onEvent(",
    promise: 'watches',
  },
  {
    seed: 14,
    name: 'a watch that was stopped stays on the server',
    file: 'znodes/lasting-watches.ts',
    from: 'if (isChange) await ',
    to: 'if (false) await ',
    promise: 'nothing left',
  },
  {
    seed: 3,
    name: 'a write with another version counts as done',
    file: 'znodes/zk-client.ts',
    from: 'client.set(whole, content, { version })',
    to: 'client.set(whole, content, {})',
    promise: 'users',
  },
];

it.each(PLANTED)(
  'a planted mistake is found: $name',
  async ({ promise, seed = 1, ...mutant }) => {
    const program = join(directory, `${mutant.name.replaceAll(' ', '-')}.cjs`);
    await bundle(program, mutant);
    const told: Told[] = [];
    const job: Job = {
      ...{ firstSeed: seed, step: 1, seeds: 100, forMs: LONG_MS / 2, forSimulatedMs: 1e9 },
      ...{ stopsAtViolation: true, shrinkMs: 0, keepsLog: false },
      ...{ twiceEvery: 1_000, memoryEvery: 1_000 },
      wishes: { voters: 1, workMs: 2_000, calm: true },
    };
    await runJobs(program, [job], (one) => told.push(one));
    const failure = told.find((one) => one.type === 'failure');
    expect(failure?.outcome.violations.map((one) => one.promise)).toContain(promise);
  },
  LONG_MS,
);
