import { waitFor } from '../../support/wait-for.js';
import type { ZooKeeperServer } from '../../support/zookeeper-server.js';
import type { Configuration } from '../configuration/configuration.js';
import { reconfigure, serverLine } from '../stage/reconfigure.js';
import type { Stage } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';
import { clingAt, followersOf } from './server-faults.js';

const isReconfigurable = ({ reconfigurable }: Configuration): boolean => reconfigurable;

/** Faults of the ensemble as a whole: its members, its votes, and its servers' data. */
export const ENSEMBLE_FAULTS: readonly Fault[] = [
  {
    name: 'follower loses its data',
    lasts: [0, 0.5],
    inflict: async (stage, random) => {
      const follower = random.pick(await followersOf(stage));
      await clingAt(follower, stage, random);
      await follower.kill();
      follower.wipe();
      return async () => {
        await follower.restart();
        await Promise.all(stage.replicas.map((replica) => replica.healNetwork()));
      };
    },
  },
  {
    name: 'observer cut from the server that it follows, and goes on answering',
    lasts: [1.5, 2.5],
    needs: ({ observer }) => observer !== 'none',
    inflict: async (stage, random) => {
      const observer = await servingObserver(stage);
      const replica = await clingAt(observer, stage, random);
      await stage.ensemble.freezeLinksFrom(observer);
      return async () => {
        await stage.ensemble.thawLinks();
        await replica.healNetwork();
      };
    },
  },
  {
    name: 'follower removed from the ensemble, and added',
    lasts: [0.5, 1.5],
    needs: isReconfigurable,
    inflict: async (stage, random) => {
      const follower = random.pick(await followersOf(stage));
      await clingAt(follower, stage, random);
      const id = stage.ensemble.servers.idOf(follower);
      const line = await serverLine(stage, id);
      await reconfigure(stage, { leaving: String(id) });
      return addingAgain(stage, line);
    },
  },
  {
    name: 'follower loses its vote, and gets it back',
    lasts: [0.5, 1.5],
    needs: isReconfigurable,
    inflict: async (stage, random) => {
      const follower = random.pick(await followersOf(stage));
      await clingAt(follower, stage, random);
      const line = await serverLine(stage, stage.ensemble.servers.idOf(follower));
      await reconfigure(stage, { joining: line.replace(':participant', ':observer') });
      return addingAgain(stage, line);
    },
  },
];

function addingAgain(stage: Stage, line: string): Heal {
  return async () => {
    await reconfigure(stage, { joining: line });
    await Promise.all(stage.replicas.map((replica) => replica.healNetwork()));
  };
}

/** An observer does not serve while the member that it follows leads: then another one has to. */
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
