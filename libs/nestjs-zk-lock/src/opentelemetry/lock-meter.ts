import type { BatchObservableCallback, MeterProvider } from '@opentelemetry/api';
import { measureEvents } from '../telemetry/measure-events.js';
import { DURATION_BUCKETS_S, GAUGES, newInstruments } from '../telemetry/metrics.js';

/** Measures the calls and sessions of this process, until it is stopped. */
export function measureLocks(provider: MeterProvider, scope: string): () => void {
  const meter = provider.getMeter(scope);
  const gauges = GAUGES.map(({ name, description, unit, read }) => ({
    read,
    gauge: meter.createObservableGauge(name, { description, ...(unit && { unit }) }),
  }));
  const observe: BatchObservableCallback = (result) => {
    for (const { gauge, read } of gauges) {
      for (const { labels, value } of read()) result.observe(gauge, value, labels);
    }
  };
  const all = gauges.map(({ gauge }) => gauge);
  meter.addBatchObservableCallback(observe, all);

  const instruments = newInstruments(({ name, description, unit }) => {
    if (unit === undefined) {
      const counter = meter.createCounter(name, { description });
      return (labels, value) => counter.add(value, labels);
    }
    const advice = { explicitBucketBoundaries: [...DURATION_BUCKETS_S] };
    const histogram = meter.createHistogram(name, { description, unit, advice });
    return (labels, value) => histogram.record(value, labels);
  });
  const stopMeasuring = measureEvents(instruments);
  return () => {
    stopMeasuring();
    meter.removeBatchObservableCallback(observe, all);
  };
}
