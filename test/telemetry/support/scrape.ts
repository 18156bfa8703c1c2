import type { Registry } from 'prom-client';

/** The lines of a scrape that are no comments, without those of single buckets. */
export async function scrape(registry: Registry): Promise<string[]> {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line !== '' && !/^#|_bucket\{/.test(line));
}
