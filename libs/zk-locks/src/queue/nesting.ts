/** What a call waits under: the locks that its async context holds. */
export interface Nesting {
  /** Paths of their nodes below the root, innermost first; the outer ones may be missing. */
  readonly holds: readonly string[];
  /** The path of its latest node; undefined before it has one of its own. */
  node: string | undefined;
}

/** Each waiter's node repeats them. */
export const MOST_HELD = 8;
const MOST_BYTES = 2_048;

/** @param nodes paths of what is held, innermost first */
export function newNesting(root: string, nodes: readonly string[]): Nesting {
  const holds: string[] = [];
  let bytes = 0;
  for (const path of nodes.slice(0, MOST_HELD)) {
    const below = path.slice(root.length + 1);
    bytes += Buffer.byteLength(JSON.stringify(below)) + 1;
    if (bytes > MOST_BYTES) break;
    holds.push(below);
  }
  return { holds, node: undefined };
}
