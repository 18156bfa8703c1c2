import { parseArgs } from 'node:util';
import type { ClientName } from 'nestjs-zk-lock';
import { FAULTS } from './nemesis/catalog.js';
import type { Mutant } from './mutants/mutant.js';
import { MUTANTS } from './mutants/mutants.js';
import type { Fault } from './nemesis/fault.js';

export interface CommandLine {
  readonly seed: number;
  readonly minutes: number | undefined;
  readonly faults: readonly Fault[];
  readonly mutants: readonly Mutant[];
  readonly client: ClientName | undefined;
  readonly from: number;
  /** Whether test/soak/RESULTS.md shows this run. */
  readonly publishes: boolean;
}

export const USAGE = `npm run soak -- [options]

  --minutes N   goes on for so long; without it, each fault is met once
  --seed S      repeats the choices of another run; without it, they are new
  --client C    only this client, wire or native; without it, each in turn
  --from N      begins with the configuration of this number
  --fault TEXT  only faults whose name has this text in it; may be given several times
  --mutants     instead, builds locks that are broken on purpose and shows that each is found out
  --mutant TEXT the same, only for those whose name has this text in it; may be given several times
  --publish     writes test/soak/RESULTS.md, which the documentation links to

After a violation, what each process has written down stands in reports/soak.

Faults:
${FAULTS.map(({ name }) => `  ${name}`).join('\n')}`;

/** @throws {Error} that says what is wrong, and prints the usage */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      client: { type: 'string' },
      from: { type: 'string', default: '1' },
      fault: { type: 'string', multiple: true },
      mutants: { type: 'boolean', default: false },
      mutant: { type: 'string', multiple: true },
      publish: { type: 'boolean', default: false },
    },
  });
  const { minutes, seed, fault, mutants, mutant, client, from, publish } = values;
  return {
    minutes: minutes === undefined ? undefined : toNumber('minutes', minutes, 0.1, 100_000),
    seed: seed === undefined ? newSeed() : toNumber('seed', seed, 0, 0x7fff_ffff),
    faults: fault === undefined ? FAULTS : pick('fault', FAULTS, fault),
    mutants: mutant === undefined ? (mutants ? MUTANTS : []) : pick('mutant', MUTANTS, mutant),
    client: client === undefined ? undefined : toClient(client),
    from: toNumber('from', from, 1, 100_000),
    publishes: publish,
  };
}

function pick<T extends { readonly name: string }>(
  option: string,
  all: readonly T[],
  texts: readonly string[],
): T[] {
  return texts.flatMap((text) => {
    const found = all.filter(({ name }) => name.includes(text));
    if (found.length === 0) throw new Error(`--${option}: no ${option} has "${text}" in its name`);
    return found;
  });
}

function toClient(text: string): ClientName {
  if (text === 'wire' || text === 'native') return text;
  throw new Error(`--client: expected "wire" or "native"; got "${text}"`);
}

function toNumber(option: string, text: string, lowest: number, highest: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= lowest && value <= highest) return value;
  throw new Error(`--${option}: expected a number from ${lowest} to ${highest}; got "${text}"`);
}

function newSeed(): number {
  return Math.floor(Math.random() * 0x7fff_ffff);
}
