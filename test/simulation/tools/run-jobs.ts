import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Job, Told } from '../program.js';

/** The heap limit of a process that plays thousands of stories, in megabytes. */
const HEAP_MB = 2_048;
/** The share of the young generation: most objects are garbage by the next collection. */
const YOUNG_MB = 64;

/**
 * Plays stories in separate processes.
 *
 * @param program made by `bundle()`
 * @throws {Error} if a process exits before it reports its end
 */
export async function runJobs(
  program: string,
  jobs: readonly Job[],
  onTold: (told: Told) => void,
): Promise<void> {
  await Promise.all(jobs.map((job) => runJob(program, job, onTold)));
}

async function runJob(program: string, job: Job, onTold: (told: Told) => void): Promise<void> {
  const memory = [`--max-old-space-size=${HEAP_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
  // V8's functions that count objects are experimental.
  const quiet = '--disable-warning=ExperimentalWarning';
  const args = [quiet, ...memory, program, JSON.stringify(job)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ends: Told[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const told = JSON.parse(line) as Told;
    if (told.type === 'end') ends.push(told);
    onTold(told);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (ends.length === 0) throw new Error(`the simulator ended with ${String(code ?? signal)}`);
}
