import type { Random } from '../../../workers/soak/random.js';
import type { Scene } from './scene.js';

/** Breaks something of an ensemble, and says how to mend it. */
export function breakSomething(scene: Scene, random: Random): () => void {
  const { members, leader } = scene.ensemble;
  const member = leader && random.chance(50) ? leader : random.pick(members);
  const others = members.filter((one) => one !== member);
  switch (random.between(0, 5)) {
    case 0:
      if (member.isRunning) member.crash();
      return () => {
        if (!member.isRunning) member.start();
      };
    case 1:
      member.restart({ withData: true });
      return () => undefined;
    case 2: {
      const { process } = member;
      process.stop();
      return () => process.continue();
    }
    case 3:
      return scene.isolate(member, others);
    case 4: {
      const { network } = scene;
      const other = random.pick(members);
      network.block(member.host, other.host);
      return () => network.free(member.host, other.host);
    }
    default: {
      const slowMs = random.between(0, 300);
      const { network } = scene;
      for (const { host } of others) network.slow(member.host, host, slowMs);
      return () => {
        for (const { host } of others) network.slow(member.host, host, 0);
      };
    }
  }
}
