import { setTimeout as sleep } from 'node:timers/promises';
import { LinkedEnsemble } from '../support/linked-ensemble.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';
import type { Contender } from './contender.js';
import type { Library, LibraryName } from './libraries.js';
import { machineTime } from '../workers/soak/journal.js';
import type { MarginOptions } from './options.js';
import { phases, type Turns } from './phases.js';
import type { OnResult, Scenario } from './results.js';
import { Round, type Sample } from './round.js';

/** Where a holder's server is cut off from the rest, and where the next one waits. */
interface Cut {
  readonly holderAt: ZooKeeperServer;
  readonly waiterAt: ZooKeeperServer;
  readonly cut: () => Promise<void>;
}

const CUTS: readonly [Scenario, (ensemble: LinkedEnsemble) => Promise<Cut>][] = [
  ['follower off its leader', cutFollower],
  ['leader off its quorum', cutLeader],
];

async function cutFollower(ensemble: LinkedEnsemble): Promise<Cut> {
  const [leader, follower] = await leaderAndFollower(ensemble);
  const cut = (): Promise<void> => ensemble.freezeLinksFrom(follower);
  return { holderAt: follower, waiterAt: leader, cut };
}

async function cutLeader(ensemble: LinkedEnsemble): Promise<Cut> {
  const [leader, follower] = await leaderAndFollower(ensemble);
  return { holderAt: leader, waiterAt: follower, cut: () => ensemble.depose(leader) };
}

async function leaderAndFollower({
  servers,
}: LinkedEnsemble): Promise<[ZooKeeperServer, ZooKeeperServer]> {
  const leader = await servers.leader();
  const [follower] = await servers.followers();
  if (!follower) throw new Error('the ensemble has no follower');
  return [leader, follower];
}

/** What a library has at each server: a process that holds or waits. */
interface Party {
  readonly library: Library;
  readonly at: ReadonlyMap<ZooKeeperServer, Contender>;
}

/**
 * So many cuts of each kind, and each for all libraries at once: they hold and wait side by side at
 * the same servers, and see the same.
 */
export async function freezeEnsembles(
  libraries: readonly Library[],
  options: MarginOptions,
  onResult: OnResult,
): Promise<void> {
  const count = options.ensembleFreezes * CUTS.length;
  const turns = phases(options, count).entries();
  const lane = (): Promise<void> => freezeEnsemble(libraries, options, turns, onResult);
  await Promise.all(Array.from({ length: Math.min(options.ensembleLanes, count) }, lane));
}

/** One cut after the other in an ensemble, for as long as there is a turn that none has taken. */
async function freezeEnsemble(
  libraries: readonly Library[],
  options: MarginOptions,
  turns: Turns,
  onResult: OnResult,
): Promise<void> {
  await using ensemble = await LinkedEnsemble.start();
  const parties: Party[] = [];
  try {
    for (const library of libraries) parties.push(await assemble(library, ensemble, options));
    for (const [number, pauseMs] of turns) {
      // All of one kind, then all of the other, whose servers need their time to recover.
      const [scenario, prepare] = CUTS[Math.floor(number / options.ensembleFreezes)]!;
      const begun = await begin(parties, await prepare(ensemble));
      await sleep(pauseMs);
      await begun.cut(options.ensemblePatienceMs, (library, sample) =>
        onResult({ library, scenario, ...sample }),
      );
      await ensemble.heal();
      await begun.end();
    }
  } finally {
    await Promise.all(parties.flatMap(({ at }) => [...at.values()]).map((it) => it.stop()));
  }
}

/** One after the other: processes that start at once keep each other waiting. */
async function assemble(
  library: Library,
  { servers }: LinkedEnsemble,
  { sessionTimeoutMs, tickTimeMs }: MarginOptions,
): Promise<Party> {
  const at = new Map<ZooKeeperServer, Contender>();
  for (const server of servers.members) {
    const session = { sessionTimeoutMs, tickTimeMs, servers: server.connectString };
    at.set(server, await library.start(session));
  }
  return { library, at };
}

interface BegunRounds {
  cut(patienceMs: number, onSample: (library: LibraryName, sample: Sample) => void): Promise<void>;
  end(): Promise<void>;
}

/** A round of each party, all with the same cut. */
async function begin(
  parties: readonly Party[],
  { holderAt, waiterAt, cut }: Cut,
): Promise<BegunRounds> {
  const rounds = await Promise.all(
    parties.map(async ({ library, at }) => {
      const pair = { holder: at.get(holderAt)!, waiter: at.get(waiterAt)!, key: 'k' };
      return { library: library.name, round: await Round.begin(pair) };
    }),
  );
  return {
    cut: async (patienceMs, onSample) => {
      const cutAt = machineTime();
      const outcomes = rounds.map(async ({ library, round }) =>
        onSample(library, await round.outcome(cutAt, patienceMs)),
      );
      await Promise.all([cut(), ...outcomes]);
    },
    end: async () => {
      await Promise.all(rounds.map(({ round }) => round.end()));
    },
  };
}
