import type { Ensemble } from '../ensemble/ensemble.js';

/**
 * The creation zxid of a znode that exists on all servers which have executed its creation: no server has
 * told a client that it is gone.
 */
export function existsAs({ members }: Ensemble, path: string): bigint | undefined {
  let czxid: bigint | undefined;
  for (const { replica } of members) {
    const node = replica.database.tree.find(path);
    if (node && czxid !== undefined && node.czxid !== czxid) return undefined;
    czxid ??= node?.czxid;
  }
  if (czxid === undefined) return undefined;
  const createdAt = Number(czxid);
  const isEverywhere = members.every(
    ({ replica: { lastZxid, database } }) =>
      lastZxid < createdAt || database.tree.find(path) !== undefined,
  );
  return isEverywhere ? czxid : undefined;
}
