/** Waits for `work`, but only until `signal` aborts. */
export async function untilAborted(
  signal: AbortSignal,
  work: Promise<void> | undefined,
): Promise<void> {
  if (signal.aborted) return;
  let onAbort!: () => void;
  const aborted = new Promise<void>((resolve) => (onAbort = resolve));
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', onAbort);
}
