import { setTimeout as sleep } from 'node:timers/promises';
import { grantedTimeoutMs, reportTickMs } from '../configuration/configuration.js';
import type { Fault } from './fault.js';

/** Faults of a process. Each hits a process that holds something, and would go on holding it. */
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
  {
    name: 'wall clock set forward',
    lasts: [0.2, 0.5],
    // A shorter session is lost on a busy machine, whatever its clock says.
    needs: (configuration) => grantedTimeoutMs(configuration) >= 2 * reportTickMs(configuration),
    // One of these holds its lock by `withLock`, which rejects work under a lost lock.
    workloadOf: () => ({ only: ['downgrade', 'read'] }),
    inflict: async (stage, random) => {
      const { process } = random.pick(stage.replicas);
      for (let times = random.between(1, 4); times > 0; times--) {
        await process.cling(stage.sessionTimeoutMs);
        await process.setForward(random.between(1_000, 600_000));
        await process.cling(0);
        await sleep(random.between(50, 300));
      }
      return async () => {};
    },
    examine: async (_stage, { grants }) =>
      grants.flatMap((grant) => {
        const { told, kind, id } = grant;
        if (!told || told.reason === 'given-up') return [];
        const message = `${id} was told of its loss (${told.reason}) though nothing but a clock was set`;
        return [{ promise: 'notice', message, kinds: [kind] }];
      }),
  },
];

/** @param clingsFor how long its holders would go on, in session timeouts */
function stopping({ clingsFor }: { readonly clingsFor: number }): Fault['inflict'] {
  return async (stage, random) => {
    const { process } = random.pick(stage.replicas);
    await process.cling(clingsFor * stage.sessionTimeoutMs);
    process.freeze();
    return async () => {
      process.resume();
    };
  };
}
