/** What tells of locks, by the application that it belongs to: a promise of the end of each. */
const sources = new WeakMap<object, Promise<unknown>[]>();

/**
 * @param application the same object for all that belongs to it, as Nest's container of its modules
 * @param end settles once nothing more is told
 */
export function addSource(application: object, end: Promise<unknown>): void {
  sources.set(application, [...(sources.get(application) ?? []), end]);
}

/** Resolves once nothing more is told of the locks of an application. */
export async function untilSilent(application: object): Promise<void> {
  await Promise.allSettled(sources.get(application) ?? []);
}
