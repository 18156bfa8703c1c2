import type { History } from '../history/history.js';

/** How long a process was stalled, in stalls that overlap this time. */
export function stalledMs(
  { stalls }: History,
  process: string,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  return stalls
    .filter((stall) => stall.process === process && stall.at > from && stall.from < to)
    .reduce((sum, stall) => sum + stall.at - stall.from, 0);
}
