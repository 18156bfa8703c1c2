import type { TreeContender, TreeKey } from '../../libs/zk-locks/src/tree/tree-key.js';

/** A key as a tree sees it, by default a lock without contenders. */
export function treeKey(given: Partial<TreeKey> = {}): TreeKey {
  const { key = 'k', holders = [], waiters = [], strangers = [] } = given;
  return {
    ...{ key, path: `/locks/${key}`, kind: 'lock', holders, waiters, lastSequence: 1 },
    ...{
      total: holders.length + waiters.length,
      waiting: waiters.length,
      permits: undefined,
      dialects: ['curator-rw'],
    },
    ...{ strangers, strangerCount: strangers.length, isHidden: false, unread: 0 },
    ...{ lastRun: undefined, ...given },
  };
}

/** A contender as a tree sees it, by default a writer. */
export function treeContender(given: Partial<TreeContender> = {}): TreeContender {
  return {
    ...{ mode: 'write', node: 'n', isEphemeral: true, session: 's', fencingToken: 1n },
    ...{ queuedAt: new Date(0), holder: undefined, text: undefined, ...given },
  };
}
