import {
  type CallEvent,
  type ConnectionReport,
  readConnections,
  type SessionStateName,
} from 'zk-locks/events';
import { readJobs } from './read-jobs.js';

/** The buckets for both exporters. */
export const DURATION_BUCKETS_S: readonly number[] = [
  0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300,
];

/**
 * A metric of both exporters, by its name for OpenTelemetry. Prometheus uses the same names, with `_` for
 * each dot, and with the unit, or `_total`, at the end.
 */
export interface Metric {
  readonly name: string;
  readonly description: string;
  /** Present if the value is in seconds. */
  readonly unit?: 's';
  readonly labels: readonly string[];
}

const CONNECTION = ['connection'];
const CALL = ['connection', 'kind', 'mode', 'pattern'];
const JOB = ['connection', 'pattern'];

/** Metrics that are recorded as events happen: durations in histograms, everything else in counters. */
export const MEASURED = {
  acquires: {
    name: 'zk_lock.acquires',
    description: 'Calls for a lock or permits by result, except calls of jobs',
    labels: [...CALL, 'result'],
  },
  wait: {
    name: 'zk_lock.wait',
    description: 'How long calls waited, except those with the result busy or full',
    unit: 's',
    labels: CALL,
  },
  hold: {
    name: 'zk_lock.hold',
    description: 'How long locks and permits were held',
    unit: 's',
    labels: CALL,
  },
  lost: {
    name: 'zk_lock.lost',
    description: 'Locks and permits lost while they were held',
    labels: [...CALL, 'reason'],
  },
  reconnects: {
    name: 'zk_lock.session.reconnects',
    description: 'Reconnects that kept the ZooKeeper session',
    labels: CONNECTION,
  },
  sessionsLost: {
    name: 'zk_lock.sessions.lost',
    description: 'ZooKeeper sessions lost',
    labels: ['connection', 'reason'],
  },
  jobCalls: {
    name: 'zk_lock.job.calls',
    description: 'Calls of jobs by result',
    labels: [...JOB, 'result'],
  },
} satisfies Readonly<Record<string, Metric>>;

/** Adds `value` to a counter, or to a histogram. */
export type Measure = (labels: Record<string, string>, value: number) => void;

export type Instruments = Readonly<Record<keyof typeof MEASURED, Measure>>;

export function newInstruments(create: (metric: Metric) => Measure): Instruments {
  const entries = Object.entries<Metric>(MEASURED).map(([name, metric]) => [name, create(metric)]);
  return Object.fromEntries(entries) as Instruments;
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric that is read at the moment of a scrape. */
export interface GaugeMetric extends Metric {
  /** The samples, each with other labels. */
  readonly read: () => Iterable<Sample>;
}

export const GAUGES: readonly GaugeMetric[] = [
  {
    name: 'zk_lock.waiters',
    description: 'Calls that wait for a lock or permits',
    labels: CONNECTION,
    read: () => addUp(readConnections(), ({ waiting }) => waiting),
  },
  {
    name: 'zk_lock.held',
    description: 'Locks held; the permits of one call count as one',
    labels: CONNECTION,
    read: () => addUp(readConnections(), ({ held }) => held),
  },
  {
    name: 'zk_lock.session.state',
    description: '1 for the state that a ZooKeeper session is in, 0 for the others',
    labels: ['connection', 'state'],
    read: (): Sample[] => {
      const reports = readConnections();
      return SESSION_STATES.flatMap((state) =>
        addUp(reports, (report) => Number(report.state === state), { state }),
      );
    },
  },
  {
    name: 'zk_lock.job.last_run.timestamp',
    description:
      'When the latest run of a job with each outcome began in any process, as far as this one knows',
    unit: 's',
    labels: [...JOB, 'outcome'],
    read: () =>
      readJobs().flatMap(({ labels, lastRuns }) =>
        lastRuns.map(({ outcome, at }) => ({ labels: { ...labels, outcome }, value: at })),
      ),
  },
  {
    name: 'zk_lock.job.known_since.timestamp',
    description: 'When this process first knew of a job, which may never have run',
    unit: 's',
    labels: JOB,
    read: () => readJobs().map(({ labels, knownSince: value }) => ({ labels, value })),
  },
  {
    name: 'zk_lock.job.interval',
    description: 'The period in which a job runs at most once',
    unit: 's',
    labels: JOB,
    read: () => readJobs().map(({ labels, everyS: value }) => ({ labels, value })),
  },
];

/** Adds up the connections of several applications that have the same name. */
function addUp(
  reports: readonly ConnectionReport[],
  valueOf: (report: ConnectionReport) => number,
  more?: Sample['labels'],
): Sample[] {
  const sums = new Map<string, number>();
  for (const report of reports) {
    const { connection } = report;
    sums.set(connection, (sums.get(connection) ?? 0) + valueOf(report));
  }
  return Array.from(sums, ([connection, value]) => ({ labels: { connection, ...more }, value }));
}

const SESSION_STATES: readonly SessionStateName[] = [
  'connecting',
  'connected',
  'suspended',
  'lost',
  'closed',
];

/**
 * The reasons for the loss of a session. Each counter starts at 0, because Prometheus does not see
 * a rise from nothing to 1.
 */
export const SESSION_LOSS_REASONS: readonly string[] = [
  'lease-expired',
  'session-expired',
  'session-too-short',
];

/** The label `pattern` is empty if the call has none: it never contains the key. */
export function labelsOf({
  connection,
  kind,
  mode,
  pattern = '',
}: CallEvent): Record<'connection' | 'kind' | 'mode' | 'pattern', string> {
  return { connection, kind, mode, pattern };
}
