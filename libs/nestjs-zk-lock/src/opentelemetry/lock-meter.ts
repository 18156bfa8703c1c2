import type { BatchObservableCallback, MeterProvider } from '@opentelemetry/api';
import { readConnections } from 'zk-locks/events';
import { type Measure, measureEvents } from '../telemetry/measure-events.js';
import { readJobs } from '../telemetry/read-jobs.js';
import { DURATION_BUCKETS_S, SESSION_STATES } from '../telemetry/metrics.js';

/** Measures the calls and sessions of this process, until it is stopped. */
export function measureLocks(provider: MeterProvider, scope: string): () => void {
  const meter = provider.getMeter(scope);
  const histogram = (name: string, description: string): Measure => {
    const advice = { explicitBucketBoundaries: [...DURATION_BUCKETS_S] };
    const instrument = meter.createHistogram(name, { description, unit: 's', advice });
    return (labels, value) => instrument.record(value, labels);
  };
  const counter = (name: string, description: string): Measure => {
    const instrument = meter.createCounter(name, { description });
    return (labels, value) => instrument.add(value, labels);
  };

  const gauge = (name: string, description: string, unit?: string) =>
    meter.createObservableGauge(name, { description, ...(unit !== undefined && { unit }) });
  const gauges = {
    waiters: gauge('zk_lock.waiters', 'Calls that wait for a lock or permits'),
    held: gauge('zk_lock.held', 'Locks held; the permits of one call count as one'),
    state: gauge(
      'zk_lock.session.state',
      '1 for the state that a ZooKeeper session is in, 0 for the others',
    ),
    lastRun: gauge(
      'zk_lock.job.last_run.timestamp',
      'When the latest run of a job with each outcome began in any process, as far as this one knows',
      's',
    ),
    knownSince: gauge(
      'zk_lock.job.known_since.timestamp',
      'When this process first knew of a job, which may never have run',
      's',
    ),
    interval: gauge('zk_lock.job.interval', 'The period in which a job runs at most once', 's'),
  };
  const observe: BatchObservableCallback = (result) => {
    for (const { connection, held, waiting, states } of addUp()) {
      result.observe(gauges.waiters, waiting, { connection });
      result.observe(gauges.held, held, { connection });
      for (const state of SESSION_STATES) {
        const count = states.filter((one) => one === state).length;
        result.observe(gauges.state, count, { connection, state });
      }
    }
    for (const { labels, everyS, knownSince, lastRuns } of readJobs()) {
      result.observe(gauges.knownSince, knownSince, labels);
      result.observe(gauges.interval, everyS, labels);
      for (const { outcome, at } of lastRuns) {
        result.observe(gauges.lastRun, at, { ...labels, outcome });
      }
    }
  };
  meter.addBatchObservableCallback(observe, Object.values(gauges));

  const stopMeasuring = measureEvents({
    acquires: counter(
      'zk_lock.acquires',
      'Calls for a lock or permits by result, except calls of jobs',
    ),
    wait: histogram(
      'zk_lock.wait',
      'How long calls waited, except single tries that found the lock busy',
    ),
    hold: histogram('zk_lock.hold', 'How long locks and permits were held'),
    lost: counter('zk_lock.lost', 'Locks and permits lost while they were held'),
    reconnects: counter('zk_lock.session.reconnects', 'Reconnects that kept the ZooKeeper session'),
    sessionsLost: counter('zk_lock.sessions.lost', 'ZooKeeper sessions lost'),
    jobCalls: counter('zk_lock.job.calls', 'Calls of jobs by result'),
  });
  return () => {
    stopMeasuring();
    meter.removeBatchObservableCallback(observe, Object.values(gauges));
  };
}

/** Those of one name, of several applications, together: of two observations only the last one counts. */
function addUp() {
  const reports = readConnections();
  const names = new Set(reports.map(({ connection }) => connection));
  return Array.from(names, (connection) => {
    const same = reports.filter((report) => report.connection === connection);
    return {
      connection,
      held: same.reduce((sum, { held }) => sum + held, 0),
      waiting: same.reduce((sum, { waiting }) => sum + waiting, 0),
      states: same.map(({ state }) => state),
    };
  });
}
