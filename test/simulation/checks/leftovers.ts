import { countListeners } from '../world/channels.js';
import type { Stage } from '../story/stage.js';

/** What is left of processes that have closed their locks; none of it may be. */
export function checkLeftovers(stage: Stage): void {
  const { replicas, network, operator } = stage;
  for (const { current } of replicas) {
    const { name, process, open } = current;
    const left = [
      ['timers', process.timers.count],
      ['connections', network.socketsOf(process).length],
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
