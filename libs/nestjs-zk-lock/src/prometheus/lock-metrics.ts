import { Counter, Gauge, Histogram, type Metric, register, type Registry } from 'prom-client';
import { readConnections } from 'zk-locks/events';
import { type Instruments, type Measure, measureEvents } from '../telemetry/measure-events.js';
import { DURATION_BUCKETS_S, SESSION_STATES } from '../telemetry/metrics.js';
import { readJobs } from '../telemetry/read-jobs.js';
import { StartOnce } from '../telemetry/start-once.js';

/**
 * Where and how lock metrics are registered.
 *
 * @publicApi
 */
export interface LockMetricsOptions {
  /** @default the default registry of prom-client, `register` */
  registry?: Registry;
  /**
   * The upper bounds of the histograms' buckets, in seconds. If you call `collectLockMetrics()` again
   * for the same registry, the bounds of the first call apply.
   * @default 1 ms to 5 min
   */
  buckets?: readonly number[];
}

const CALL = ['connection', 'kind', 'mode', 'pattern'] as const;
const JOB = ['connection', 'pattern'] as const;

const collecting = new StartOnce<Registry>();

/**
 * Registers the metrics of all lock services of this process, and keeps them until it is stopped.
 * If you call it again for the same registry, nothing is counted twice.
 *
 * @example
 * ```ts
 * const stop = collectLockMetrics();
 * ```
 *
 * @returns a function that stops it; what was counted stays in the registry
 * @publicApi
 */
export function collectLockMetrics({
  registry = register,
  buckets = DURATION_BUCKETS_S,
}: LockMetricsOptions = {}): () => void {
  return collecting.start(registry, () => collect(registry, [...buckets]));
}

function collect(registry: Registry, buckets: number[]): () => void {
  const instruments = newInstruments(registry, buckets);
  addGauges(registry);
  return measureEvents(instruments);
}

function newInstruments(registry: Registry, buckets: number[]): Instruments {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[]): Measure => {
    const add = () => new Counter({ name, help, labelNames, registers });
    const metric = findOrAdd(registry, name, add);
    return (labels, value) => metric.inc(labels, value);
  };
  const histogram = (name: string, help: string): Measure => {
    const add = () => new Histogram({ name, help, labelNames: CALL, buckets, registers });
    const metric = findOrAdd(registry, name, add);
    return (labels, value) => metric.observe(labels, value);
  };
  return {
    acquires: counter(
      'zk_lock_acquires_total',
      'Calls for a lock or permits by result, except calls of jobs',
      [...CALL, 'result'],
    ),
    wait: histogram(
      'zk_lock_wait_seconds',
      'How long calls waited, except single tries that found the lock busy',
    ),
    hold: histogram('zk_lock_hold_seconds', 'How long locks and permits were held'),
    lost: counter('zk_lock_lost_total', 'Locks and permits lost while they were held', [
      ...CALL,
      'reason',
    ]),
    reconnects: counter(
      'zk_lock_session_reconnects_total',
      'Reconnects that kept the ZooKeeper session',
      ['connection'],
    ),
    sessionsLost: counter('zk_lock_sessions_lost_total', 'ZooKeeper sessions lost', [
      'connection',
      'reason',
    ]),
    jobCalls: counter('zk_lock_job_calls_total', 'Calls of jobs by result', [...JOB, 'result']),
  };
}

/** What is true at the moment of a scrape, connections of one name added up. */
function addGauges(registry: Registry): void {
  const registers = [registry];
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    collectInto: (gauge: Gauge) => void,
  ) =>
    findOrAdd(
      registry,
      name,
      () =>
        new Gauge({
          ...{ name, help, labelNames, registers },
          collect() {
            this.reset();
            collectInto(this);
          },
        }),
    );
  gauge('zk_lock_waiters', 'Calls that wait for a lock or permits', ['connection'], (waiters) => {
    for (const { connection, waiting } of readConnections()) waiters.inc({ connection }, waiting);
  });
  gauge(
    'zk_lock_held',
    'Locks held; the permits of one call count as one',
    ['connection'],
    (all) => {
      for (const { connection, held } of readConnections()) all.inc({ connection }, held);
    },
  );
  gauge(
    'zk_lock_session_state',
    '1 for the state that a ZooKeeper session is in, 0 for the others',
    ['connection', 'state'],
    (sessions) => {
      for (const { connection, state } of readConnections()) {
        for (const one of SESSION_STATES) {
          sessions.inc({ connection, state: one }, one === state ? 1 : 0);
        }
      }
    },
  );
  gauge(
    'zk_lock_job_last_run_timestamp_seconds',
    'When the latest run of a job with each outcome began in any process, as far as this one knows',
    [...JOB, 'outcome'],
    (runs) => {
      for (const { labels, lastRuns } of readJobs()) {
        for (const { outcome, at } of lastRuns) runs.set({ ...labels, outcome }, at);
      }
    },
  );
  gauge(
    'zk_lock_job_known_since_timestamp_seconds',
    'When this process first knew of a job, which may never have run',
    JOB,
    (times) => {
      for (const { labels, knownSince } of readJobs()) times.set({ ...labels }, knownSince);
    },
  );
  gauge(
    'zk_lock_job_interval_seconds',
    'The period in which a job runs at most once',
    JOB,
    (intervals) => {
      for (const { labels, everyS } of readJobs()) intervals.set({ ...labels }, everyS);
    },
  );
}

function findOrAdd<M extends Metric>(registry: Registry, name: string, add: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? add();
}
