import type { DialectName } from 'zk-locks';

export type Mode = 'read' | 'write';

/** How another library enqueues. */
interface Recipe {
  /** The names of its nodes, to which the server appends a number. `UUID` stands for a new one. */
  readonly names: Readonly<Partial<Record<Mode, string>>>;
  /** Whether its directories are containers, as in Curator. */
  readonly usesContainers: boolean;
}

/** Keyed by the dialect in which our locks are compatible with the library. */
export const RECIPES: Readonly<Record<DialectName, Recipe>> = {
  /** Curator's `InterProcessReadWriteLock`. */
  'curator-rw': {
    names: { read: '_c_UUID-__READ__', write: '_c_UUID-__WRIT__' },
    usesContainers: true,
  },
  /** Curator's `InterProcessMutex`. */
  'curator-mutex': { names: { write: '_c_UUID-lock-' }, usesContainers: true },
  /** kazoo's `ReadLock` and `WriteLock`; the latter is its `Lock`, compatible with readers. */
  kazoo: { names: { read: 'UUID__rlock__', write: 'UUID__lock__' }, usesContainers: false },
  /** A single node without a number. */
  'single-node': { names: { write: 'lock' }, usesContainers: false },
};

const numberOf = (name: string): string => name.slice(-10);

/** The last node before a contender's own. A reader waits for writers only. */
export function blockerOf(names: readonly string[], own: string, mode: Mode): string | undefined {
  // A single node has no queue.
  if (own === 'lock') return undefined;
  return names
    .filter((name) => numberOf(name) < numberOf(own))
    .filter((name) => mode === 'write' || /__(WRIT|lock)__/.test(name))
    .toSorted((one, other) => numberOf(one).localeCompare(numberOf(other)))
    .at(-1);
}
