import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../workers/soak/random.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import type { Replica } from '../stage/replica.js';
import type { Stage } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

/** Faults between one replica and the servers. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'connection frozen for longer than the session',
    lasts: [1.2, 2],
    inflict: meets((replica) => replica.onEveryProxy((proxy) => proxy.freeze())),
  },
  {
    name: 'session expired while no server could be reached',
    lasts: [1.5, 2],
    inflict: meets((replica) =>
      replica.onEveryProxy(async (proxy) => {
        await proxy.refuse();
        await proxy.cut();
      }),
    ),
  },
  {
    name: 'answers lost',
    lasts: [0.5, 1],
    inflict: meets((replica, random) =>
      loseInTurn(replica, random, (proxy, operation) => proxy.loseNextReply(operation)),
    ),
  },
  {
    name: 'requests lost',
    lasts: [0.5, 1],
    inflict: meets((replica, random) =>
      loseInTurn(replica, random, (proxy, operation) => proxy.loseNextRequest(operation)),
    ),
  },
];

/** A fault of a replica whose holders keep their locks. */
function meets(
  harm: (replica: Replica, random: Random) => Promise<void>,
): (stage: Stage, random: Random) => Promise<Heal> {
  return async (stage, random) => {
    const replica = random.pick(stage.replicas);
    await replica.process.cling(2 * stage.sessionTimeoutMs);
    await harm(replica, random);
    return () => replica.healNetwork();
  };
}

const OPERATIONS = ['create', 'delete', 'getChildren', 'getData'] as const;

/** Loses each request or answer as soon as the previous one is lost, on any connection. */
async function loseInTurn(
  replica: Replica,
  random: Random,
  lose: (proxy: FaultProxy, operation: (typeof OPERATIONS)[number]) => Promise<unknown>,
): Promise<void> {
  // Otherwise the holder would keep its lock, and send neither a create nor a delete.
  await replica.process.cling(0);
  for (const operation of random.shuffle([...OPERATIONS, ...OPERATIONS])) {
    await replica.onEveryProxy((proxy) => lose(proxy, operation));
    await sleep(random.between(50, 150));
  }
}
