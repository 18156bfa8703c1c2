import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { onTestFinished } from 'vitest';

export function openMetrics() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());
  /** The metrics as `name{attributes} value`; for histograms, the count. */
  const read = async (): Promise<string[]> => {
    exporter.reset();
    await meterProvider.forceFlush();
    const metrics = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    return metrics.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => {
        const labels = Object.entries(attributes).map(([name, one]) => `${name}=${String(one)}`);
        const shown = typeof value === 'number' ? value : value.count;
        return `${descriptor.name}${descriptor.unit}{${labels.join(',')}} ${shown}`;
      }),
    );
  };
  return { meterProvider, read };
}
