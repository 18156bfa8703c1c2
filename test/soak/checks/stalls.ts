import type { History } from '../history/history.js';

/** For how long a process stood still, in stalls that touch this time. */
export function stalledMs(
  { stalls }: History,
  process: string,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  return stalls
    .filter((stall) => stall.process === process && stall.at > from && stall.from < to)
    .reduce((sum, stall) => sum + stall.at - stall.from, 0);
}
