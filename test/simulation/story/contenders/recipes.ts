import { randomUUID } from 'node:crypto';

export type Mode = 'read' | 'write';

/** How another library queues up: its nodes' names, and whom it waits for. */
export interface Recipe {
  readonly modes: readonly Mode[];
  /** What the number is appended to. */
  readonly prefix: (mode: Mode) => string;
  /** Whether nodes with this name are in the way of a later one. */
  readonly blocks: (name: string, mode: Mode) => boolean;
  /** Whether its directories are containers. */
  readonly usesContainers: boolean;
}

const hex = (): string => randomUUID().replaceAll('-', '');
const ALL: readonly Mode[] = ['read', 'write'];

/** By the dialect in which ours shares locks with it. */
export const RECIPES = {
  /** Curator's `InterProcessReadWriteLock`. */
  'curator-rw': {
    modes: ALL,
    prefix: (mode) => `_c_${randomUUID()}-__${mode === 'read' ? 'READ' : 'WRIT'}__`,
    blocks: (name, mode) => mode === 'write' || name.includes('__WRIT__'),
    usesContainers: true,
  },
  /** Curator's `InterProcessMutex`. */
  'curator-mutex': {
    modes: ['write'],
    prefix: () => `_c_${randomUUID()}-lock-`,
    blocks: () => true,
    usesContainers: true,
  },
  /** kazoo's `WriteLock`, which is its `Lock` beside readers, and its `ReadLock`. */
  kazoo: {
    modes: ALL,
    prefix: (mode) => `${hex()}__${mode === 'read' ? 'rlock' : 'lock'}__`,
    blocks: (name, mode) => mode === 'write' || name.includes('__lock__'),
    usesContainers: false,
  },
} as const satisfies Record<string, Recipe>;

const DIGITS = 10;

/**
 * The node that one waits for: the last before its own that is in the way.
 *
 * @returns undefined where no node is in the way; null where its own node is gone
 */
export function blockerOf(
  { blocks }: Recipe,
  names: readonly string[],
  own: string,
  mode: Mode,
): string | undefined | null {
  if (!names.includes(own)) return null;
  const number = own.slice(-DIGITS);
  return names
    .filter((name) => name.slice(-DIGITS) < number && blocks(name, mode))
    .toSorted((one, other) => one.slice(-DIGITS).localeCompare(other.slice(-DIGITS)))
    .at(-1);
}
