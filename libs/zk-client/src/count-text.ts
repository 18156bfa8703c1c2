/** `1 call`, `12 calls`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * How long something has lasted: `41 s`, `4 min 05 s`, `3 h 12 min`, `5 d 3 h`, in all
 * tools. Never negative, as clocks differ.
 */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `120 ms`, `3.4 s`, and from ten seconds on as {@link ageText}. */
export function shortAgeText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 10_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : ageText(ms);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
