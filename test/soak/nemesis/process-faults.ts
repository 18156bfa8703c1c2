import type { Fault } from './fault.js';

/** What happens to a process. Each meets one that holds something, and would go on holding it. */
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
    inflict: stopping({ clingsFor: 4 }),
  },
  {
    name: 'process stopped for less than its session',
    lasts: [0.1, 0.4],
    inflict: stopping({ clingsFor: 2 }),
  },
  {
    name: 'event loop stalled',
    lasts: [0, 0],
    inflict: async (stage, random) => {
      const { process } = random.pick(stage.replicas);
      await process.cling(4 * stage.sessionTimeoutMs);
      await process.stall(stage.sessionTimeoutMs * (random.between(5, 20) / 10));
      return async () => {};
    },
  },
];

/** @param clingsFor how long its holders would go on, in session timeouts */
function stopping({ clingsFor }: { readonly clingsFor: number }): Fault['inflict'] {
  return async (stage, random) => {
    const { process } = random.pick(stage.replicas);
    await process.cling(clingsFor * stage.sessionTimeoutMs);
    process.stop();
    return async () => {
      process.resume();
    };
  };
}
