import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { LIBRARIES, type LibraryName } from './libraries.js';

export interface MarginOptions {
  readonly seed: number;
  readonly libraries: readonly LibraryName[];
  /** Of our links; the three kinds in turn. */
  readonly freezes: number;
  /** Of each other library's links. */
  readonly peerFreezes: number;
  /** Of each library, for each of the two kinds. */
  readonly ensembleFreezes: number;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
  /** Holders at a time. */
  readonly lanes: number;
  readonly ensembleLanes: number;
  /** How long a link stays frozen at most, when nobody is granted the lock meanwhile. */
  readonly patienceMs: number;
  readonly ensemblePatienceMs: number;
}

/** As servers started by tests have it, ensembles as well. */
const TICK_TIME_MS = 500;

const usage =
  'npm run margins -- [--freezes 500] [--peer-freezes 200] [--ensemble-freezes 20]\n' +
  '  [--library ours|curator|kazoo|all] [--seed S] [--session-timeout-ms 2000] [--lanes 8]';

/** @throws {Error} with the usage in its message */
export function parseOptions(args: readonly string[]): MarginOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      freezes: { ...text, default: '500' },
      'peer-freezes': { ...text, default: '200' },
      'ensemble-freezes': { ...text, default: '20' },
      library: { ...text, default: 'all' },
      seed: { ...text, default: String(randomInt(2 ** 31)) },
      'session-timeout-ms': { ...text, default: '2000' },
      lanes: { ...text, default: '8' },
    },
  });
  const sessionTimeoutMs = atLeast(2 * TICK_TIME_MS, values['session-timeout-ms']);
  return {
    seed: atLeast(0, values.seed),
    libraries: librariesOf(values.library),
    freezes: atLeast(0, values.freezes),
    peerFreezes: atLeast(0, values['peer-freezes']),
    ensembleFreezes: atLeast(0, values['ensemble-freezes']),
    sessionTimeoutMs,
    tickTimeMs: TICK_TIME_MS,
    lanes: atLeast(1, values.lanes),
    ensembleLanes: 2,
    patienceMs: 6 * sessionTimeoutMs,
    ensemblePatienceMs: 60_000,
  };
}

function atLeast(least: number, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`"${text}" is no whole number from ${least} on\n${usage}`);
}

function librariesOf(text: string): readonly LibraryName[] {
  if (text === 'all') return LIBRARIES;
  const name = LIBRARIES.find((library) => library === text);
  if (name) return [name];
  throw new Error(`there is no library "${text}"\n${usage}`);
}
