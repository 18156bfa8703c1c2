import { setTimeout as sleep } from 'node:timers/promises';
import type { Workload } from '../../workers/soak/protocol.js';
import type { Random } from '../../workers/soak/random.js';
import { alignReports, untilReportIsDue } from '../../support/report-phase.js';
import type { ZooKeeperServer } from '../../support/zookeeper-server.js';
import type { Configuration } from '../configuration/configuration.js';
import type { Replica } from '../stage/replica.js';
import type { Stage } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

/**
 * No call gives up, because giving up is a write. A server that is cut off answers no request of a
 * session that waits for a write, and a leader answers no `sync` while a write is proposed. So a
 * session that writes notices the fault soon.
 */
const QUIET = (): Workload => ({ only: ['write'], patient: true });

const hasFreezableLinks = ({ reconfigurable }: Configuration): boolean => !reconfigurable;

/** Faults of servers, and between them. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'leader killed',
    lasts: [0.5, 1.5],
    inflict: async (stage) => killing(await stage.ensemble.servers.leader()),
  },
  {
    name: 'follower killed',
    lasts: [0.5, 1.5],
    inflict: async (stage, random) => killing(random.pick(await followersOf(stage))),
  },
  {
    name: 'servers restarted, one by one',
    lasts: [0, 0],
    inflict: async (stage, random) => {
      for (const server of random.shuffle(stage.ensemble.servers.members)) await server.restart();
      return nothing;
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
    name: 'leader stands still (slow disk)',
    lasts: [0.2, 1.5],
    inflict: async (stage) => pausing(await stage.ensemble.servers.leader()),
  },
  {
    name: 'follower stands still (slow disk)',
    lasts: [0.2, 1.5],
    inflict: async (stage, random) => pausing(random.pick(await followersOf(stage))),
  },
  {
    name: 'follower cut from its leader, and goes on answering',
    needs: hasFreezableLinks,
    lasts: [1.5, 2.5],
    inflict: async (stage, random) => {
      const follower = random.pick(await followersOf(stage));
      const replica = await clingAt(follower, stage, random);
      await stage.ensemble.freezeLinksFrom(follower);
      return async () => {
        await stage.ensemble.thawLinks();
        await replica.healNetwork();
      };
    },
  },
  {
    name: 'follower cut from its leader, and from all but a holder that does not write',
    needs: hasFreezableLinks,
    lasts: [1.5, 2.5],
    workloadOf: QUIET,
    inflict: async (stage, random) => {
      const follower = random.pick(await followersOf(stage));
      await leaveToHolder(follower, stage, random);
      await stage.ensemble.freezeLinksFrom(follower);
      return async () => {
        await stage.ensemble.thawLinks();
        await healNetworks(stage.replicas);
      };
    },
  },
  {
    name: 'follower cut from its leader just before it would have reported its sessions',
    needs: hasFreezableLinks,
    lasts: [2, 2.5],
    inflict: async (stage, random) => {
      const [follower] = random.shuffle(await followersOf(stage));
      if (!follower) throw new Error('the leader has no follower');
      const replica = random.pick(stage.replicas);
      await replica.bringTo(indexOf(follower, stage));
      const reports = {
        ...{ follower, leader: await stage.ensemble.servers.leader() },
        ...{ tickTimeMs: stage.configuration.tickTimeMs, timeoutMs: stage.sessionTimeoutMs },
      };
      await alignReports(reports);
      await replica.process.cling(4 * stage.sessionTimeoutMs);
      await untilReportIsDue(reports);
      await stage.ensemble.freezeLinksFrom(follower);
      return async () => {
        await stage.ensemble.thawLinks();
        await replica.healNetwork();
      };
    },
  },
  {
    name: 'leader cut from its followers, and goes on answering',
    needs: hasFreezableLinks,
    lasts: [1, 2],
    stopsAll: true,
    inflict: async (stage, random) => {
      const leader = await stage.ensemble.servers.leader();
      const replica = await clingAt(leader, stage, random);
      return deposing(leader, stage, [replica]);
    },
  },
  {
    name: 'leader cut from its followers, and from all but a holder that does not write',
    needs: hasFreezableLinks,
    lasts: [1, 2],
    stopsAll: true,
    workloadOf: QUIET,
    inflict: async (stage, random) => {
      const leader = await stage.ensemble.servers.leader();
      await leaveToHolder(leader, stage, random);
      return deposing(leader, stage, stage.replicas);
    },
  },
];

const nothing: Heal = async () => {};

export async function followersOf(stage: Stage): Promise<ZooKeeperServer[]> {
  // Waits for the leader: without one, there are no followers.
  await stage.ensemble.servers.leader();
  return stage.ensemble.servers.followers();
}

async function killing(server: ZooKeeperServer): Promise<Heal> {
  await server.kill();
  return () => server.restart();
}

async function pausing(server: ZooKeeperServer): Promise<Heal> {
  await server.pause();
  return async () => {
    server.resume();
  };
}

/** The others elect a new leader, which the old one does not know. */
async function deposing(
  leader: ZooKeeperServer,
  stage: Stage,
  cutOff: readonly Replica[],
): Promise<Heal> {
  const deposed = stage.ensemble.depose(leader);
  // If they choose the old one again, they cannot reach it before the links are healed.
  await Promise.race([deposed, sleep(2 * stage.sessionTimeoutMs)]);
  return async () => {
    await stage.ensemble.thawLinks();
    await deposed;
    // Otherwise it may take until `syncLimit` to notice that it is no longer the leader.
    await leader.restart();
    await healNetworks(cutOff);
  };
}

/** The place of a server among those that each replica has a proxy for. */
function indexOf(server: ZooKeeperServer, stage: Stage): number {
  return stage.ensemble.servers.idOf(server) - 1;
}

async function healNetworks(replicas: readonly Replica[]): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.healNetwork()));
}

/** One replica holds something, connected to this server alone, and the others to other servers. */
async function leaveToHolder(server: ZooKeeperServer, stage: Stage, random: Random): Promise<void> {
  const holder = random.pick(stage.replicas);
  const others = stage.replicas.filter((replica) => replica !== holder);
  await Promise.all(others.map((other) => other.keepFrom(indexOf(server, stage))));
  await holder.bringTo(indexOf(server, stage));
  await holder.process.cling(4 * stage.sessionTimeoutMs);
  // Tasks that have just left their sections queue up again.
  await sleep(300);
}

/** A replica that is connected to this server, holds something, and would go on holding it. */
export async function clingAt(
  server: ZooKeeperServer,
  stage: Stage,
  random: Random,
): Promise<Replica> {
  const replica = random.pick(stage.replicas);
  await replica.bringTo(indexOf(server, stage));
  await replica.process.cling(4 * stage.sessionTimeoutMs);
  // Half of them could move to another server, if they noticed the fault.
  if (random.chance(50)) await replica.onEveryProxy((proxy) => proxy.accept());
  return replica;
}
