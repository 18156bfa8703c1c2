import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** The awaited condition, as the end of the sentence "waited 30000 ms for …". */
  readonly what: string;
  /** @default 30,000: a busy machine takes long */
  readonly timeoutMs?: number;
  /** @default 10 */
  readonly intervalMs?: number;
}

type Falsy = false | null | undefined | 0 | '';

/**
 * Checks the condition repeatedly until it gives a truthy value, and returns that value.
 *
 * A condition that throws counts as "not yet"; its last error becomes the `cause`.
 *
 * @throws {Error} after `timeoutMs`, naming the condition and the last value
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 30_000, intervalMs = 10 }: WaitOptions,
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look(condition);
    if ('value' in seen && seen.value) return seen.value as Exclude<T, Falsy>;
    if (performance.now() >= deadline) {
      const last = 'value' in seen ? `last seen: ${JSON.stringify(seen.value)}` : 'it threw last';
      const cause = 'error' in seen ? { cause: seen.error } : undefined;
      throw new Error(`waited ${String(timeoutMs)} ms for ${what}; ${last}`, cause);
    }
    await sleep(intervalMs);
  }
}

async function look<T>(
  condition: () => T | Promise<T>,
): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}
