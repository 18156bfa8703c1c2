/**
 * How many grants of one key in a row go to the same process, on average.
 *
 * @param processes the times of each one's grants, by one clock
 * @returns undefined without grants
 */
export function runLength(processes: readonly (readonly number[])[]): number | undefined {
  const grants = processes
    .flatMap((times, process) => times.map((at) => ({ at, process })))
    .toSorted((a, b) => a.at - b.at);
  if (grants.length === 0) return undefined;
  const runs = grants.filter(({ process }, index) => process !== grants[index - 1]?.process);
  return grants.length / runs.length;
}
