import { setTimeout as sleep } from 'node:timers/promises';
import { KEYS } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

const nothing: Heal = async () => {};

/** What people do by hand. */
export const OPERATOR_FAULTS: readonly Fault[] = [
  {
    name: 'operator deletes lock nodes',
    lasts: [0.1, 0.3],
    inflict: async (stage, random) => {
      for (let times = random.between(3, 10); times > 0; times--) {
        const key = random.pick(KEYS);
        const contenders = await stage.onlooker.contenders(key);
        if (contenders.length > 0) await stage.deleteContender(key, random.pick(contenders));
        await sleep(random.between(5, 100));
      }
      return nothing;
    },
  },
  {
    name: 'operator deletes a whole queue, and its directory',
    lasts: [0.1, 0.3],
    inflict: async (stage, random) => {
      const key = random.pick(KEYS);
      // Others come meanwhile, and then it is not empty.
      for (let tries = 0; tries < 20; tries++) {
        const contenders = await stage.onlooker.contenders(key);
        await Promise.all(contenders.map((name) => stage.deleteContender(key, name)));
        if (await stage.onlooker.delete(key)) break;
      }
      return nothing;
    },
  },
];
