import { cleanText } from 'zk-client/recipes';
import type { Deadlock, LockHolder } from '../lock-errors.js';
import { nameProcess } from '../process-name.js';
import type { HolderData } from '../queue/holder-data.js';

const LONGEST_SHOWN = 80;

/**
 * The holders of a lock, as a sentence for the error of a wait that ended; undefined if none is known.
 *
 * @param total how many hold it, also where only some of them were looked at
 * @param isHere they are calls of this process, which share a node
 * @param now by the local clock, which may be behind that of the servers
 */
export function describeHolders(
  [first]: readonly LockHolder[],
  { total, isHere = false }: { readonly total: number; readonly isHere?: boolean },
  now = Date.now(),
): string | undefined {
  if (!first) return undefined;
  const { node, holder, since } = first;
  const age = describeAge(now - since.getTime());
  const more = total > 1 ? `, and ${total - 1} more` : '';
  if (!holder) {
    return `Held by node ${show(node)}, of another library, which was created ${age} ago${more}.`;
  }
  const { label } = holder;
  const name = nameOf(holder);
  const purpose = label === undefined ? '' : ` for "${show(label)}"`;
  if (holder.cohort && !isHere) return `Held by ${name}, for several calls${more}.`;
  return isHere
    ? `Held by this process, ${name}${purpose}, who got it ${age} ago${more}.`
    : `Held by ${name}${purpose}, who asked for it ${age} ago${more}.`;
}

/** The most calls of a circle that are named. */
const MOST_NAMED = 8;

/** A circle as a part of a sentence. */
export function describeDeadlock(deadlock: Deadlock): string {
  const calls = deadlock
    .slice(0, MOST_NAMED)
    .map(
      ({ holder, holds, waitsFor }) =>
        `${nameOf(holder)} holds ${show(holds)}, waits for ${show(waitsFor)}`,
    );
  const more = deadlock.length > MOST_NAMED ? [`and ${deadlock.length - MOST_NAMED} more`] : [];
  const what = deadlock.length === 1 ? 'deadlock, the call waits for itself' : 'deadlock';
  return `${what}: ${[...calls, ...more].join('; ')}`;
}

function nameOf({ host, pid, application }: HolderData): string {
  const name = application === undefined ? undefined : show(application);
  return nameProcess({ host: show(host), pid, application: name });
}

function describeAge(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1_000), 0);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Clients that may write to the lock's directory may write anything there. */
export function show(text: string): string {
  const line = cleanText(text);
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
