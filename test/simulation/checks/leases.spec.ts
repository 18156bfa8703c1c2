import { expect, it } from 'vitest';
import type { Ensemble } from '../ensemble/ensemble.js';
import type { SimulatedReplica } from '../story/replica.js';
import { Leases } from './leases.js';

const ID = 26n;
const NOW = 500;

interface Case {
  /** What the session says of itself. */
  readonly leaseMs?: number;
  readonly marginMs?: number;
  /** Until the leader ends it; undefined while there is no leader. */
  readonly leaderMs?: number | undefined;
  readonly createdMs?: number;
  readonly at?: number;
  readonly isEndedByOperator?: boolean;
}

function judge(given: Case): string[] {
  const { leaseMs = 900, marginMs, createdMs = 1_000, at = NOW } = given;
  const tracker = { msLeft: () => ('leaderMs' in given ? given.leaderMs : 950) };
  const hasLeader = !('leaderMs' in given) || given.leaderMs !== undefined;
  const servers = {
    leader: hasLeader ? { peer: { leader: { tracker } } } : undefined,
    view: { database: { sessions: { find: () => ({ createdTimeoutMs: createdMs }) } } },
  } as unknown as Ensemble;
  const replica = {
    name: 'one.1',
    process: { world: { now: NOW } },
    locks: {
      session: {
        leaseMsLeft: leaseMs,
        snapshot: { state: { name: 'connected', sessionId: ID.toString(16) } },
      },
    },
  } as unknown as SimulatedReplica;
  const broken: string[] = [];
  const leases = new Leases(servers, (promise) => broken.push(promise));
  if (given.isEndedByOperator) leases.ended(ID);
  const lock = { key: 'a', kind: 'write', access: 'exclusive', queued: true } as const;
  const margin = marginMs === undefined ? {} : { marginMs };
  leases.onEntry(replica, { type: 'entered', grant: 1, holding: 1, ...lock, ...margin, at });
  return broken;
}

it.each<[string, Case, string[]]>([
  ['that the servers know to live for longer', {}, []],
  ['that the leader ends before', { leaderMs: 800 }, ['lease']],
  ['that the next leader would end before', { createdMs: 800 }, ['lease']],
  ['that is over for the leader', { leaseMs: 0, leaderMs: -5 }, ['lease']],
  ['of which no leader is there to tell', { leaderMs: undefined }, []],
  ['that ends within the margin of a lock', { leaseMs: 100, marginMs: 951.5 }, ['lease']],
  ['that outlasts the margin of a lock', { leaseMs: 100, marginMs: 900 }, []],
  ['that an operator ends', { leaderMs: 0, isEndedByOperator: true }, []],
  ['as it was before', { leaderMs: 800, at: NOW - 1 }, []],
])('judges what is said of a session %s', (_, given, promises) => {
  expect(judge(given)).toEqual(promises);
});
