import type { StateNews } from '../interop/support/partner.js';

/** When a holder was told that its lock is lost, or may be. */
export interface Notice {
  /** The earliest word that the library has for it. */
  readonly toldAt: number;
  /** The word that it is lost for certain, where that has come. */
  readonly lostAt?: number;
}

const isBad = ({ state }: StateNews): boolean => state === 'SUSPENDED' || state === 'LOST';

/**
 * What Curator and kazoo have told of a cut: the first SUSPENDED or LOST after it, or the one before
 * it that was not taken back until then.
 */
export function noticeOf(news: readonly StateNews[], cutAt: number): Notice | undefined {
  const before = news.findLast(({ at }) => at <= cutAt);
  const after = news.filter(({ at }) => at > cutAt);
  const told = before && isBad(before) ? before : after.find(isBad);
  if (!told) return undefined;
  const lost = [told, ...after].find(({ state }) => state === 'LOST');
  return { toldAt: told.at, ...(lost && { lostAt: lost.at }) };
}
