import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIR } from '../../workers/soak/protocol.js';
import type { Configuration } from '../configuration/configuration.js';
import { KEYS } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

const nothing: Heal = async () => {};

/** Of a lock of one node, the former holder's release may delete the next one's: docs/locks.md. */
const hasQueues = ({ dialect }: Configuration): boolean => dialect !== 'single-node';

/** Interference by operators. */
export const OPERATOR_FAULTS: readonly Fault[] = [
  {
    name: 'operator breaks locks',
    lasts: [0.1, 0.3],
    inflict: async (stage, random) => {
      for (let times = random.between(3, 10); times > 0; times--) {
        const whom = random.chance(80) ? 'holder' : 'waiter';
        const [operator, holder] = [random.pick(stage.replicas), random.pick(stage.replicas)];
        const keys = random.shuffle([...KEYS, CHAIR]);
        // Most locks are held only briefly, and would be released before.
        await holder.process.cling(random.between(50, 500));
        for (const key of keys) if (await stage.breakLock(operator, key, whom)) break;
        await sleep(random.between(5, 100));
      }
      return nothing;
    },
  },
  {
    name: 'operator deletes lock nodes',
    lasts: [0.1, 0.3],
    needs: hasQueues,
    inflict: async (stage, random) => {
      for (let times = random.between(3, 10); times > 0; times--) {
        const key = random.pick(KEYS);
        const contenders = await stage.onlooker.contenders(key);
        const head = contenders.toSorted((a, b) => a.slice(-10).localeCompare(b.slice(-10))).at(0);
        // Usually the node of the holder.
        const name = random.chance(60) || !head ? head : random.pick(contenders);
        if (name !== undefined) await stage.deleteContender(key, name);
        await sleep(random.between(5, 100));
      }
      return nothing;
    },
  },
  {
    name: 'operator deletes a whole queue, and its directory',
    lasts: [0.1, 0.3],
    needs: hasQueues,
    inflict: async (stage, random) => {
      const key = random.pick(KEYS);
      // If others come meanwhile, it is not empty.
      for (let tries = 0; tries < 20; tries++) {
        const contenders = await stage.onlooker.contenders(key);
        await Promise.all(contenders.map((name) => stage.deleteContender(key, name)));
        if (await stage.onlooker.deleteDirectory(key)) break;
      }
      return nothing;
    },
  },
];
