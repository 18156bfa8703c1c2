import type { DialectName } from 'zk-locks';

export type Mode = 'read' | 'write';

/** How another library queues up. */
interface Recipe {
  /** The names of its nodes, to which the server appends a number; `UUID` stands for a new one. */
  readonly names: Readonly<Partial<Record<Mode, string>>>;
  /** Whether its directories are containers, as Curator's are. */
  readonly usesContainers: boolean;
}

/** By the dialect in which ours shares locks with it. */
export const RECIPES: Readonly<Record<DialectName, Recipe>> = {
  /** Curator's `InterProcessReadWriteLock`. */
  'curator-rw': {
    names: { read: '_c_UUID-__READ__', write: '_c_UUID-__WRIT__' },
    usesContainers: true,
  },
  /** Curator's `InterProcessMutex`. */
  'curator-mutex': { names: { write: '_c_UUID-lock-' }, usesContainers: true },
  /** kazoo's `ReadLock` and `WriteLock`, which is its `Lock` beside readers. */
  kazoo: { names: { read: 'UUID__rlock__', write: 'UUID__lock__' }, usesContainers: false },
  /** One node, without a number. */
  'single-node': { names: { write: 'lock' }, usesContainers: false },
};

const numberOf = (name: string): string => name.slice(-10);

/** The node that a contender waits for: the last before its own that is in the way, of a reader only a writer's. */
export function blockerOf(names: readonly string[], own: string, mode: Mode): string | undefined {
  // One node alone has no queue.
  if (own === 'lock') return undefined;
  return names
    .filter((name) => numberOf(name) < numberOf(own))
    .filter((name) => mode === 'write' || /__(WRIT|lock)__/.test(name))
    .toSorted((one, other) => numberOf(one).localeCompare(numberOf(other)))
    .at(-1);
}
