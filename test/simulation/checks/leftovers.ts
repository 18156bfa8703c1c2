import { countListeners } from '../world/channels.js';
import type { Stage } from '../story/stage.js';

/**
 * Lists the connections that processes still have after closing their locks. Closing does not wait
 * for an attempt to connect, which ends by itself.
 */
export function connectionsLeft({ replicas, network }: Stage): string {
  return replicas
    .map(({ current: { name, process } }) => [name, network.socketsOf(process).length] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} has ${count} connections`)
    .join(', ');
}

/** Reports everything else that is left of processes after closing their locks. */
export function checkLeftovers(stage: Stage): void {
  const { replicas, operator } = stage;
  for (const { current } of replicas) {
    const { name, process, open } = current;
    const left = [
      ['timers', process.timers.count],
      ['listeners', countListeners(process)],
    ] as const;
    for (const [what, count] of left) {
      if (count > 0) stage.report('nothing left', `${name} has ${count} ${what}`);
    }
    for (const [call, count] of open) {
      if (count > 0) stage.report('waiting', `${count} promises of ${name}, ${call}(), stay open`);
    }
  }
  const listeners = countListeners(operator.process);
  if (listeners > 0) stage.report('nothing left', `the operator has ${listeners} listeners`);
}
