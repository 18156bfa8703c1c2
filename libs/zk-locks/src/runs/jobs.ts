import type { LastRun, RunOutcome } from '../lock/last-run.js';
import { publish } from '../telemetry/channels.js';
import type { JobEvent, JobReport, JobResult } from '../telemetry/events.js';

type Called = Pick<JobEvent, 'key' | 'pattern' | 'label' | 'everyMs'>;

interface Job extends JobReport {
  readonly lastRuns: Partial<Record<RunOutcome, LastRun>>;
  readonly results: Record<JobResult, number>;
}

/** The jobs that one process has called or looked up, with the results of its calls. */
export class Jobs {
  readonly #jobs = new Map<string, Job>();

  /** @param connection its name in events */
  constructor(private readonly connection: string) {}

  all(): readonly JobReport[] {
    return [...this.#jobs.values()];
  }

  find(key: string): JobReport | undefined {
    return this.#jobs.get(key);
  }

  /** Adds a job that this process will call, possibly much later. */
  expect(key: string, pattern: string, everyMs: number): void {
    if (!this.#jobs.has(key)) this.#add({ key, pattern, everyMs });
  }

  /** Adds a run that was looked up, possibly before the first call. */
  note(key: string, pattern: string, run: LastRun): void {
    const job = this.#jobs.get(key) ?? this.#add({ key, pattern, everyMs: run.everyMs });
    job.lastRuns[run.outcome] = run;
  }

  begin(called: Called): JobCall {
    const { connection } = this;
    const { lastRuns, results } = this.#add(called);
    const beganAt = performance.now();
    let lastRun: LastRun | undefined;
    let tell!: (run: LastRun | undefined) => void;
    const seen = new Promise<LastRun | undefined>((resolve) => (tell = resolve));
    return {
      seen,
      sees: (run) => {
        lastRun = run;
        lastRuns[run.outcome] = run;
        tell(run);
      },
      end: (result, error) => {
        tell(undefined);
        results[result]++;
        const durationMs = performance.now() - beganAt;
        publish('job', { connection, ...called, result, durationMs, lastRun, error });
      },
    };
  }

  /** The interval is that of the latest call. */
  #add({ key, pattern, everyMs }: Omit<Called, 'label'>): Job {
    const {
      knownSince = new Date(),
      lastRuns = {},
      results = { ran: 0, not_due: 0, busy: 0, failed: 0, lost: 0 },
    } = this.#jobs.get(key) ?? {};
    const job = { key, pattern, everyMs, knownSince, lastRuns, results };
    this.#jobs.set(key, job);
    return job;
  }
}

/** One call of a job. */
export interface JobCall {
  /** The first run that the call sees; undefined if it ended without seeing one. */
  readonly seen: Promise<LastRun | undefined>;
  /** Reports the run of this call, or the earlier run because of which it is not due. */
  sees(run: LastRun): void;
  end(result: JobResult, error?: unknown): void;
}
