import type { Violation } from '../../soak/history/history.js';
import type { Stage } from '../story/stage.js';
import { checkWatches, type UserHistory } from './users.js';

export function userHistoryOf(stage: Stage): UserHistory {
  const { ledger, deaths, servers, processes } = stage;
  const { attempts, contradictions } = ledger;
  return {
    ...{ attempts, contradictions, deaths },
    stalls: processes.flatMap(({ name, stalls }) =>
      stalls.map((stall) => ({ process: name, ...stall })),
    ),
    dataOf: (path) => servers.view.find(path)?.data?.toString(),
  };
}

/** Watches that have not reported the last change yet. */
export function lateWatches({ ledger, deaths, servers: { view }, plan }: Stage): Violation[] {
  const directories = plan.keys.map((key) => `/locks/${key}`);
  const living = ledger.watches.filter(({ process }) => !deaths.has(process));
  return checkWatches(living, (path) => {
    if (!directories.includes(path)) return view.find(path)?.data?.toString();
    return view.find(path) && view.children(path).toSorted().join(' ');
  });
}
