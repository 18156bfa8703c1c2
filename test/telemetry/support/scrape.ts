import type { Registry } from 'prom-client';

/** The lines of a scrape, without comments and histogram buckets. */
export async function scrape(registry: Registry): Promise<string[]> {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line !== '' && !/^#|_bucket\{/.test(line));
}
