import { LockDirectoryError } from './lock-errors.js';
import { inOrder, type QueueNode } from './lock-queue.js';
import type { LockMode } from './lock.js';

/** A naming scheme of lock nodes. One directory speaks one dialect. */
export interface Dialect {
  /** What the server's sequence number is appended to. `guid` finds the node when its answer is lost. */
  nodePrefix(mode: LockMode, guid: string): string;
  /**
   * The directory's queue in order.
   * @throws {LockDirectoryError} when a child is no lock node of this dialect
   */
  parse(directory: string, names: readonly string[]): QueueNode[];
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CURATOR_RW = new RegExp(`^_c_${UUID}-__(READ|WRIT)__(-?\\d+)$`);

/** Node names of Apache Curator's `InterProcessReadWriteLock`, in its protected mode. */
export const curatorReadWrite: Dialect = {
  nodePrefix: (mode, guid) => `_c_${guid}-__${mode === 'read' ? 'READ' : 'WRIT'}__`,

  parse(directory, names) {
    const foreign: string[] = [];
    const nodes: QueueNode[] = [];
    for (const name of names) {
      const match = CURATOR_RW.exec(name);
      if (!match) foreign.push(name);
      else {
        const mode = match[1] === 'READ' ? 'read' : 'write';
        nodes.push({ name, mode, sequence: Number(match[2]) });
      }
    }
    if (foreign.length > 0) throw new LockDirectoryError(describeForeign(directory, foreign));
    return inOrder(nodes);
  },
};

function describeForeign(directory: string, names: readonly string[]): string {
  const shown = names
    .slice(0, 3)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${directory} holds nodes that are not locks of this library or of Curator's InterProcessReadWriteLock: ${shown}${more}. Give the locks a \`root\` of their own, or remove these nodes.`;
}
