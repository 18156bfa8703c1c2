import type { BatchObservableCallback, MeterProvider } from '@opentelemetry/api';
import { onLockEvents, readConnections } from '../telemetry/channels.js';
import {
  DURATION_BUCKETS_S,
  labelsOf,
  SESSION_LOSS_REASONS,
  SESSION_STATES,
} from '../telemetry/metrics.js';

/** Measures the calls and sessions of this process, until it is stopped. */
export function measureLocks(provider: MeterProvider, scope: string): () => void {
  const meter = provider.getMeter(scope);
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: [...DURATION_BUCKETS_S] },
    });
  const counter = (name: string, description: string) => meter.createCounter(name, { description });
  const acquires = counter('zk_lock.acquires', 'Calls for a lock or permits, by what they came to');
  const wait = histogram('zk_lock.wait', 'How long calls waited, but for single tries in vain');
  const hold = histogram('zk_lock.hold', 'How long locks and permits were held');
  const lost = counter('zk_lock.lost', 'Locks and permits lost while they were held');
  const reconnects = counter(
    'zk_lock.session.reconnects',
    'New connections over which a ZooKeeper session lived on',
  );
  const sessionsLost = counter('zk_lock.sessions.lost', 'ZooKeeper sessions lost');

  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(name, { description });
  const gauges = {
    waiters: gauge('zk_lock.waiters', 'Calls that wait for a lock or permits'),
    held: gauge('zk_lock.held', 'Locks held; the permits of one call count as one'),
    state: gauge('zk_lock.session.state', '1 for the state a session is in, 0 for the others'),
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
  };
  meter.addBatchObservableCallback(observe, Object.values(gauges));

  const countSession = (connection: string, isReconnect: boolean, lossReason?: string): void => {
    reconnects.add(isReconnect ? 1 : 0, { connection });
    for (const reason of SESSION_LOSS_REASONS) {
      sessionsLost.add(reason === lossReason ? 1 : 0, { connection, reason });
    }
  };
  for (const { connection } of readConnections()) countSession(connection, false);

  const stopListening = onLockEvents({
    waitEnd: (event) => {
      const labels = labelsOf(event);
      acquires.add(1, { ...labels, result: event.result });
      // A single try has not waited for anybody.
      if (event.result !== 'busy') wait.record(event.durationMs / 1_000, labels);
    },
    holdEnd: (event) => {
      const labels = labelsOf(event);
      hold.record(event.durationMs / 1_000, labels);
      if (event.lossReason !== undefined) lost.add(1, { ...labels, reason: event.lossReason });
    },
    session: ({ connection, isReconnect, lossReason }) =>
      countSession(connection, isReconnect, lossReason),
  });
  return () => {
    stopListening();
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
