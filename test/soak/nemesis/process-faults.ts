import type { Fault } from './fault.js';

/** Faults of a process whose holders keep their locks. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'process killed',
    lasts: [0.5, 1.5],
    inflict: async (stage, random) => {
      const replica = random.pick(stage.replicas);
      await replica.process.cling(4 * stage.sessionTimeoutMs);
      await stage.kill(replica);
      return () => stage.replace(replica);
    },
  },
  {
    name: 'process stopped for longer than its session',
    lasts: [1.2, 2],
    inflict: async (stage, random) => {
      const { process } = random.pick(stage.replicas);
      await process.cling(4 * stage.sessionTimeoutMs);
      process.freeze();
      return async () => {
        process.resume();
      };
    },
  },
];
