import type { LockMode } from '../lock.js';

/** A contender's znode, as far as its name tells. */
export interface QueueNode {
  readonly name: string;
  readonly mode: LockMode;
  readonly sequence: number;
}

/**
 * By sequence. A writer and the reader that it becomes share a number; the reader, which stays for
 * longer, comes last, so that it is the one to be waited for. A server gives each number that
 * {@link Dialect.parse} accepts to one node only; nodes made by hand may share a number, and all
 * contenders order these in the same way, by name.
 */
export function inOrder(nodes: readonly QueueNode[]): QueueNode[] {
  const isReader = ({ mode }: QueueNode): number => (mode === 'read' ? 1 : 0);
  return nodes.toSorted(
    (a, b) => a.sequence - b.sequence || isReader(a) - isReader(b) || (a.name < b.name ? -1 : 1),
  );
}

/** The nodes before `name` in a sorted queue; undefined where it is not in the queue. */
export function aheadOf(queue: readonly QueueNode[], name: string): QueueNode[] | undefined {
  const own = queue.findIndex((node) => node.name === name);
  return own === -1 ? undefined : queue.slice(0, own);
}

/**
 * Those who may hold the lock beside a reader that wants to be a writer: up to the first writer behind
 * it. A writer's node before it holds nothing, for it was let in; it may have come late, be it of
 * somebody who has long given up, and those behind it may read all the same.
 *
 * @param own the number of its nodes, those among them that are about to come or to go
 */
export function otherReaders(queue: readonly QueueNode[], own: number): QueueNode[] {
  const others = queue.filter(({ sequence }) => sequence !== own);
  const writer = others.findIndex(({ mode, sequence }) => mode === 'write' && sequence > own);
  return writer === -1 ? others : others.slice(0, writer);
}
