const REFERENCE = JSON.stringify(
  Array.from({ length: 5_000 }, (_, pid) => ({ host: 'h', pid, since: 'x', holds: [`k/${pid}`] })),
);
const REFERENCE_TIMES = 25;
/** What the machine takes for which limits of CPU time are meant. */
const REFERENCE_MS = 50;

function processCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * `ms` of CPU time on the machine for which limits are meant: more on a slower one, but never less.
 *
 * @param cpuMs the clock by which the limit is measured
 */
export function onThisMachine(ms, cpuMs = processCpuMs) {
  const measured = Array.from({ length: 5 }, () => {
    const before = cpuMs();
    for (let time = 0; time < REFERENCE_TIMES; time++) JSON.parse(REFERENCE);
    return cpuMs() - before;
  });
  const median = measured.sort((a, b) => a - b)[2];
  return ms * Math.max(1, median / REFERENCE_MS);
}
