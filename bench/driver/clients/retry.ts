import { setTimeout as sleep } from 'node:timers/promises';

/** redlock's default wait between two attempts; etcd3 has no waiting of its own. */
export const RETRY = { delayMs: 200, jitterMs: 100 } as const;

/** Tries until a try succeeds. */
export async function untilGiven<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const given = await attempt();
    if (given !== undefined) return given;
    await sleep(RETRY.delayMs + (2 * Math.random() - 1) * RETRY.jitterMs);
  }
}
