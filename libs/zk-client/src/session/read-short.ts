import { orIfGone } from '../port/client-errors.js';
import type { NodeContent } from '../port/zookeeper-client.js';
import type { Session } from './session.js';
import type { SessionLease } from './session-lease.js';

/** The longest data of our nodes; nodes of other programs may have a megabyte. */
export const MOST_DATA_BYTES = 4_096;

const UNREAD = Buffer.alloc(0);

/**
 * Reads a node whose data another program may have written; undefined if it does not exist. Data
 * longer than ours are neither requested nor retained: they count as empty, and `stat.dataLength`
 * is their length.
 */
export async function readShort(
  session: Pick<Session, 'exists' | 'get'>,
  lease: SessionLease,
  path: string,
): Promise<NodeContent | undefined> {
  const stat = await session.exists(lease, path);
  if (!stat) return undefined;
  if (stat.dataLength > MOST_DATA_BYTES) return { data: UNREAD, stat };
  const content = await orIfGone(session.get(lease, path), undefined);
  // The node may have been replaced between the two requests.
  const isLong = content !== undefined && content.data.length > MOST_DATA_BYTES;
  return isLong ? { data: UNREAD, stat: content.stat } : content;
}
