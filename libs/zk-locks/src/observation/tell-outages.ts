import { ageText, countText, type LockSession, type ZkLockLogger } from 'zk-client/recipes';

/**
 * Logs one line when ZooKeeper can be reached again, if calls were refused meanwhile: each caller has only its
 * own error.
 *
 * @param refused how many calls were refused since the start
 */
export function tellOutages(
  logger: ZkLockLogger,
  session: LockSession,
  refused: () => number,
): void {
  let begin: { readonly at: number; readonly refused: number } | undefined;
  session.onState(({ name }) => {
    if (name !== 'connected') {
      begin ??= { at: performance.now(), refused: refused() };
      return;
    }
    const calls = begin ? refused() - begin.refused : 0;
    if (begin && calls > 0) {
      const ms = performance.now() - begin.at;
      const were = calls === 1 ? 'was' : 'were';
      logger.log(
        `ZooKeeper could not be reached for ${ageText(ms)}: ${countText(calls, 'call')} ${were} refused.`,
      );
    }
    begin = undefined;
  });
}
