/** How messages speak of a decorator. */
export interface DecoratorWords {
  readonly name: string;
  /** What to call where it cannot stand. */
  readonly instead: string;
}

export const LOCKED: DecoratorWords = { name: '@Locked()', instead: 'LockService.withLock()' };

export const ONLY_LEADER: DecoratorWords = {
  name: '@OnlyLeader()',
  instead: 'LockService.election()',
};

export const WITH_PERMIT: DecoratorWords = {
  name: '@WithPermit()',
  instead: 'LockService.semaphore()',
};
