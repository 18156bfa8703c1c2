import { czxidOf } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import { parseHolderData } from '../../../libs/zk-locks/src/nodes/holder-data.js';
import { type Contender, tokenOf } from '../../../libs/zk-locks/src/inspection/inspection.js';
import type { Grant } from './history.js';

/** A lock node as identified by its tokens. */
export interface LockNode {
  /** The token of the first grant under it. */
  readonly token: bigint;
  /** Whether it serves several calls, each with its own token. */
  readonly isShared: boolean;
}

export function lockNodeOf({
  fencingToken: token,
  holder,
}: Pick<Contender, 'fencingToken' | 'holder'>): LockNode {
  return { token, isShared: holder?.cohort === true };
}

/** Like {@link lockNodeOf}, from the data of a node. */
export function lockNodeFrom(czxid: bigint, data: Buffer): LockNode {
  const holder = parseHolderData(data);
  return lockNodeOf({ fencingToken: tokenOf(czxid, holder), holder });
}

/** Whether the grant was under this node. */
export function isUnder(
  { token: own, isShared }: LockNode,
  { token }: Pick<Grant, 'token'>,
): boolean {
  if (token === undefined) return false;
  return isShared ? czxidOf(own) === czxidOf(token) : own === token;
}
