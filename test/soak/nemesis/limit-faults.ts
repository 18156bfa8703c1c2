import { ZkLockConfigError } from 'nestjs-zk-lock';
import type { Random } from '../../workers/soak/random.js';
import { waitFor } from '../../support/wait-for.js';
import type { ChangedLimits } from '../../support/zookeeper-server.js';
import {
  fits,
  grantedTimeoutMs,
  reportTickMs,
  type Configuration,
} from '../configuration/configuration.js';
import type { SoakProcess } from '../stage/soak-process.js';
import type { Stage } from '../stage/stage.js';
import { WITHOUT_DOWNGRADES, type Fault, type Heal } from './fault.js';

/** By how much sessions are longer where the limits are raised. */
const LONGER = 4;

/** An administrator changes the limits of session timeouts, and restarts the servers. */
export const LIMIT_FAULTS: readonly Fault[] = [
  {
    name: 'session timeouts raised',
    lasts: [0, 1],
    lengthensSessions: LONGER,
    inflict: (stage, random) => changing(stage, random, raised(stage.configuration)),
  },
  {
    name: 'session timeouts lowered',
    lasts: [0, 1],
    needs: (configuration) => fits(halved(configuration), reportTickMs(configuration)),
    inflict: (stage, random) => changing(stage, random, lowered(stage.configuration)),
  },
  {
    name: 'session timeouts lowered to less than locks need',
    lasts: [0.5, 1],
    stopsAll: true,
    workloadOf: () => WITHOUT_DOWNGRADES,
    inflict: async (stage, random) => {
      await random.pick(stage.replicas).process.cling(4 * stage.sessionTimeoutMs);
      const isOver = stage.expectError(ZkLockConfigError.code);
      const ms = Math.floor(reportTickMs(stage.configuration) / 2);
      const limits = { minSessionTimeoutMs: ms, maxSessionTimeoutMs: ms };
      const restore = await changing(stage, random, limits);
      return async () => {
        await restore();
        await Promise.all(stage.replicas.map(({ process }) => connected(process)));
        isOver();
      };
    },
  },
  {
    name: 'session timeouts raised, a holder cut off, and the leader killed',
    // Until the next leader ends the session by the timeout of its creation.
    lasts: [2.5, 3.5],
    lengthensSessions: LONGER,
    inflict: async (stage, random) => {
      const restore = await changing(stage, random, raisedForAll(stage.configuration));
      const replica = random.pick(stage.replicas);
      await replica.process.cling(2 * LONGER * stage.sessionTimeoutMs);
      await replica.onEveryProxy((proxy) => proxy.refuse());
      await replica.onEveryProxy((proxy) => proxy.cut());
      const leader = await stage.ensemble.servers.leader();
      await leader.kill();
      return async () => {
        await restore();
        await replica.healNetwork();
      };
    },
  },
];

async function connected(process: SoakProcess): Promise<void> {
  const what = `${process.name} to connect`;
  await waitFor(() => process.connectedTo(), { what, timeoutMs: 30_000 });
}

/** Restarts one server after the other with these limits; healed by restarts with the former ones. */
async function changing(stage: Stage, random: Random, limits: ChangedLimits): Promise<Heal> {
  const { minSessionTimeoutMs, maxSessionTimeoutMs } = stage.configuration;
  await restartAll(stage, random, limits);
  return () => restartAll(stage, random, { minSessionTimeoutMs, maxSessionTimeoutMs });
}

async function restartAll(stage: Stage, random: Random, limits: ChangedLimits): Promise<void> {
  const { members, observers } = stage.ensemble.servers;
  for (const server of random.shuffle(members)) await server.restart(limits);
  for (const observer of observers) {
    await observer.halt();
    observer.changeLimits(limits);
    // Its server may lead by now, and then it does not serve.
    observer.launch();
  }
}

/** By the limit that grants today's timeout. */
function raised(configuration: Configuration): ChangedLimits {
  const ms = LONGER * grantedTimeoutMs(configuration);
  return configuration.sessionTimeoutMs >= ms
    ? { maxSessionTimeoutMs: ms }
    : raisedForAll(configuration);
}

/** Also for sessions that reconnect: they ask for no more than they were ever granted. */
function raisedForAll(configuration: Configuration): ChangedLimits {
  const ms = LONGER * grantedTimeoutMs(configuration);
  return {
    minSessionTimeoutMs: ms,
    maxSessionTimeoutMs: Math.max(ms, configuration.maxSessionTimeoutMs),
  };
}

function lowered(configuration: Configuration): ChangedLimits {
  const ms = halved(configuration);
  const { minSessionTimeoutMs } = configuration;
  return { maxSessionTimeoutMs: ms, minSessionTimeoutMs: Math.min(ms, minSessionTimeoutMs) };
}

function halved(configuration: Configuration): number {
  return grantedTimeoutMs(configuration) / 2;
}
