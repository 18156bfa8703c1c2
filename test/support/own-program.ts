/** What Node is started with for a program of ours, so that a warning ends it. */
export const FAIL_ON_WARNING: readonly string[] = [
  '--import',
  new URL('fail-on-warning.mjs', import.meta.url).href,
];
