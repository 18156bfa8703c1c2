/**
 * The mean number of consecutive grants of one key to the same process.
 *
 * @param processes the times of each process's grants, on one clock
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
