import {
  Counter,
  Gauge,
  Histogram,
  type Metric as AnyMetric,
  register,
  type Registry,
} from 'prom-client';
import { isArray, object, readChecked } from 'zk-locks/framework';
import { measureEvents } from '../telemetry/measure-events.js';
import { DURATION_BUCKETS_S, GAUGES, type Metric, newInstruments } from '../telemetry/metrics.js';
import { StartOnce } from '../telemetry/start-once.js';

/**
 * Where and how lock metrics are registered.
 *
 * @publicApi
 */
export interface LockMetricsOptions {
  /** @default the default registry of prom-client, `register` */
  registry?: Registry | undefined;
  /**
   * The upper bounds of the histograms' buckets, in seconds. If you call `collectLockMetrics()` again
   * for the same registry, the bounds of the first call apply.
   * @default 1 ms to 5 min
   */
  buckets?: readonly number[] | undefined;
}

const OPTIONS = {
  registry: object('Pass the Registry of prom-client, or omit it for the default one.'),
  buckets: {
    expected: 'an array of rising numbers of seconds',
    accepts: (value: unknown) => isArray(value) && areRising(value),
    remedy: 'For example, pass `[0.01, 0.1, 1, 10]`.',
  },
};

const SECONDS = '_seconds';

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
 * @returns a function that stops it; what was counted stays in the registry, and gauges still show the
 * connections that are open
 * @throws {ZkLockConfigError}
 * @publicApi
 */
export function collectLockMetrics(options: LockMetricsOptions = {}): () => void {
  const { registry = register, buckets = DURATION_BUCKETS_S } = readChecked(options, OPTIONS);
  return collecting.start(registry, () => collect(registry, [...buckets]));
}

function areRising(values: readonly unknown[]): boolean {
  return values.every(
    (value, index) =>
      Number.isFinite(value) && (index === 0 || Number(values[index - 1]) < Number(value)),
  );
}

function collect(registry: Registry, buckets: number[]): () => void {
  const settingsOf = ({ name, description, labels }: Metric, suffix: string) => ({
    name: name.replaceAll('.', '_') + suffix,
    help: description,
    labelNames: labels,
    registers: [registry],
  });
  const findOrAdd = <M extends AnyMetric>(name: string, add: () => M): M =>
    (registry.getSingleMetric(name) as M | undefined) ?? add();
  const instruments = newInstruments((metric) => {
    if (metric.unit === undefined) {
      const settings = settingsOf(metric, '_total');
      const counter = findOrAdd(settings.name, () => new Counter(settings));
      return (labels, value) => counter.inc(labels, value);
    }
    const settings = settingsOf(metric, SECONDS);
    const histogram = findOrAdd(settings.name, () => new Histogram({ ...settings, buckets }));
    return (labels, value) => histogram.observe(labels, value);
  });
  for (const metric of GAUGES) {
    const settings = settingsOf(metric, metric.unit ? SECONDS : '');
    const collect = function (this: Gauge): void {
      this.reset();
      for (const { labels, value } of metric.read()) this.set(labels, value);
    };
    findOrAdd(settings.name, () => new Gauge({ ...settings, collect }));
  }
  return measureEvents(instruments);
}
