import { type QueueNode, sequenceOf } from '../nodes/dialect.js';

/** Where a contender stands. */
export interface Place<T> {
  readonly contender: T;
  /** The name of the node that it waits for; undefined if its turn has come. */
  readonly blocker: string | undefined;
  /**
   * The node before that one, if it is foreign: once it has gone, the end of the other one needs no
   * list.
   */
  readonly earlier: string | undefined;
}

/**
 * Where some contenders, known by the names of their nodes, stand in a queue. A writer waits for
 * the node before it, and a reader for the last writer before it.
 *
 * @param gone the index of the one node that has gone: only nodes up to the next writer waited for
 * it
 */
export function placesOf<T>(
  contenders: ReadonlyMap<string, T>,
  order: readonly QueueNode[],
  gone?: number,
): readonly Place<T>[] {
  const places: Place<T>[] = [];
  // Of many nodes that are not ours, a number is looked up much faster than a name just read.
  const hasOthers = gone === undefined && order.length > contenders.size;
  const numbers = hasOthers && new Set(Array.from(contenders.keys(), sequenceOf));
  const start = gone ?? 0;
  let writer = order.slice(0, start).findLastIndex(({ mode }) => mode === 'write');
  for (let index = start, node = order[index]; node; node = order[++index]) {
    const isWriter = node.mode === 'write';
    const blocker = isWriter ? index - 1 : writer;
    // Only the node right behind it can know without a list that its turn has come.
    const earlier = blocker === index - 1 ? blocker - 1 : -1;
    const mayBeOurs = !numbers || numbers.has(node.sequence);
    const contender = mayBeOurs ? contenders.get(node.name) : undefined;
    if (contender) {
      const before = order[earlier]?.name;
      const isForeign = before !== undefined && !contenders.has(before);
      places.push({
        contender,
        blocker: order[blocker]?.name,
        earlier: isForeign ? before : undefined,
      });
    }
    if (isWriter && gone !== undefined) break;
    if (isWriter) writer = index;
  }
  return places;
}
