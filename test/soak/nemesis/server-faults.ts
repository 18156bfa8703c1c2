import type { Random } from '../../workers/soak/random.js';
import { waitFor } from '../../support/wait-for.js';
import type { ZooKeeperServer } from '../../support/zookeeper-server.js';
import type { Replica } from '../stage/replica.js';
import type { Stage } from '../stage/stage.js';
import type { Fault } from './fault.js';

/** Faults of servers, and of the links between them. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'leader killed',
    lasts: [0.5, 1.5],
    inflict: async (stage) => {
      const leader = await stage.ensemble.servers.leader();
      await leader.kill();
      return () => leader.restart();
    },
  },
  {
    name: 'servers restarted, one by one',
    lasts: [0, 0],
    inflict: async (stage, random) => {
      for (const server of random.shuffle(stage.ensemble.servers.members)) await server.restart();
      return async () => {};
    },
  },
  {
    name: 'quorum lost',
    lasts: [0.2, 2],
    stopsAll: true,
    inflict: async (stage, random) => {
      const [, ...lost] = random.shuffle(stage.ensemble.servers.members);
      await Promise.all(lost.map((server) => server.kill()));
      return async () => {
        await Promise.all(lost.map((server) => server.restart()));
      };
    },
  },
  {
    name: 'follower loses its data',
    lasts: [0, 0.5],
    inflict: async (stage, random) => {
      const follower = await followerOf(stage, random);
      await clingAt(follower, stage, random);
      await follower.kill();
      follower.wipe();
      return async () => {
        await follower.restart();
        await healNetworks(stage.replicas);
      };
    },
  },
  {
    name: 'observer that is cut from its server and continues to answer',
    lasts: [1.5, 2.5],
    needs: ({ hasObserver }) => hasObserver,
    inflict: async (stage, random) => {
      const observer = await servingObserver(stage);
      await clingAt(observer, stage, random);
      await stage.ensemble.freezeLinksFrom(observer);
      return async () => {
        await stage.ensemble.thawLinks();
        await healNetworks(stage.replicas);
      };
    },
  },
];

async function followerOf({ ensemble: { servers } }: Stage, random: Random) {
  // Without a leader, there are no followers.
  await servers.leader();
  return random.pick(await servers.followers());
}

/** The index of a server, which is also that of its proxy in each replica. */
function indexOf(server: ZooKeeperServer, stage: Stage): number {
  return stage.ensemble.servers.idOf(server) - 1;
}

async function healNetworks(replicas: readonly Replica[]): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.healNetwork()));
}

/** Connects a replica to this server, and makes its holders keep their locks. */
async function clingAt(server: ZooKeeperServer, stage: Stage, random: Random): Promise<void> {
  const replica = random.pick(stage.replicas);
  await replica.bringTo(indexOf(server, stage));
  await replica.process.cling(4 * stage.sessionTimeoutMs);
  // In half of the rounds, the replica could move to another server if it noticed the fault.
  if (random.chance(50)) await replica.onEveryProxy((proxy) => proxy.accept());
}

/** An observer does not serve while its master leads, so another member has to lead. */
async function servingObserver({ ensemble: { servers } }: Stage): Promise<ZooKeeperServer> {
  const [observer] = servers.observers;
  if (!observer) throw new Error('the configuration has no observer');
  const serves = async (): Promise<boolean> =>
    (await observer.mode().catch(() => undefined)) === 'observer';
  const wait = { what: 'the observer to serve', timeoutMs: 10_000 };
  await waitFor(serves, wait).catch(async () => {
    await (await servers.leader()).restart();
    await waitFor(serves, { ...wait, timeoutMs: 60_000 });
  });
  return observer;
}
