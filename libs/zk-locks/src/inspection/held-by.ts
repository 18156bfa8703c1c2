import { ageText, shortText } from 'zk-client/recipes';
import type { LockHolder } from '../lock/lock-errors.js';
import { nameProcess } from '../process-name.js';

/**
 * Describes the holders of a lock in a sentence for the error of a wait that ended; undefined if
 * none is known.
 *
 * @param total the number of holders, even if only some of them were read
 * @param isHere whether they are calls of this process, which share a node
 * @param now by the local clock, which may lag behind the servers'
 */
export function describeHolders(
  [first]: readonly LockHolder[],
  { total, isHere = false }: { readonly total: number; readonly isHere?: boolean },
  now = Date.now(),
): string | undefined {
  if (!first) return undefined;
  const { node, holder, since } = first;
  const age = ageText(now - since.getTime());
  const more = total > 1 ? `, and ${total - 1} more` : '';
  if (!holder) {
    return `Held by node ${shortText(node)} of another library, created ${age} ago${more}.`;
  }
  const { label } = holder;
  const name = nameProcess(holder);
  const purpose = label === undefined ? '' : ` for "${shortText(label)}"`;
  if (holder.cohort && !isHere) return `Held by ${name}, for several calls${more}.`;
  return isHere
    ? `Held by this process, ${name}${purpose}, which got it ${age} ago${more}.`
    : `Held by ${name}${purpose}, which asked for it ${age} ago${more}.`;
}
