import { type ConnectionReport, readConnections } from 'zk-locks/events';

type Job = ConnectionReport['jobs'][number];

/** The values of a job's gauges; times are in seconds. */
export interface JobGauges {
  readonly labels: Record<'connection' | 'pattern', string>;
  readonly everyS: number;
  readonly knownSince: number;
  readonly lastRuns: readonly { readonly outcome: string; readonly at: number }[];
}

/** The jobs that this process knows. If several applications call the same job, their latest run counts. */
export function readJobs(): JobGauges[] {
  const jobs = new Map<string, { labels: JobGauges['labels']; same: Job[] }>();
  for (const { connection, jobs: called } of readConnections()) {
    for (const job of called) {
      const labels = { connection, pattern: job.pattern };
      const name = JSON.stringify(labels);
      jobs.set(name, { labels, same: [...(jobs.get(name)?.same ?? []), job] });
    }
  }
  return Array.from(jobs.values(), ({ labels, same }) => ({
    labels,
    everyS: Math.max(...same.map(({ everyMs }) => everyMs)) / 1_000,
    knownSince: Math.min(...same.map(({ knownSince }) => knownSince.getTime())) / 1_000,
    lastRuns: latestOf(same),
  }));
}

function latestOf(same: readonly Job[]): JobGauges['lastRuns'] {
  const latest = new Map<string, number>();
  for (const { outcome, since } of same.flatMap(({ lastRuns }) => Object.values(lastRuns))) {
    latest.set(outcome, Math.max(latest.get(outcome) ?? 0, since.getTime() / 1_000));
  }
  return Array.from(latest, ([outcome, at]) => ({ outcome, at }));
}
