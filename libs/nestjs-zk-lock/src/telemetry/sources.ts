/** For each application, promises that settle when its sources of lock events end. */
const sources = new WeakMap<object, Promise<unknown>[]>();

/**
 * @param application the same object for everything in the application, such as Nest's container of
 * modules
 * @param end settles when the source sends no more events
 */
export function addSource(application: object, end: Promise<unknown>): void {
  sources.set(application, [...(sources.get(application) ?? []), end]);
}

/** Resolves when no more events about an application's locks are sent. */
export async function untilSilent(application: object): Promise<void> {
  await Promise.allSettled(sources.get(application) ?? []);
}
