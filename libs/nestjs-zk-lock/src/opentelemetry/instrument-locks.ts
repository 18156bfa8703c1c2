import { type MeterProvider, metrics, trace, type TracerProvider } from '@opentelemetry/api';
import { StartOnce } from '../telemetry/start-once.js';
import { measureLocks } from './lock-meter.js';
import { traceLocks } from './lock-tracer.js';

const SCOPE = 'nestjs-zk-lock';

/**
 * Where spans and metrics of locks go.
 *
 * @publicApi
 */
export interface LockTelemetryOptions {
  /** @default the global one; `false` for no spans */
  tracerProvider?: TracerProvider | false;
  /** @default the global one; `false` for no metrics */
  meterProvider?: MeterProvider | false;
  /**
   * Whether spans have the key itself as `zk_lock.key`. Metrics never do. While a provider is in use
   * already, what its first call said stays.
   * @default false
   */
  keys?: boolean;
}

const tracing = new StartOnce<TracerProvider>();
const measuring = new StartOnce<MeterProvider>();

/**
 * Makes spans and metrics of the locks of this process, until it is stopped. Begin once the SDK has
 * set its providers; called again for the same ones, it tells nothing twice.
 *
 * @example
 * ```ts
 * const stop = instrumentLocks();
 * ```
 *
 * @returns a function that stops it, and ends the spans that are open
 * @publicApi
 */
export function instrumentLocks({
  tracerProvider = trace.getTracerProvider(),
  meterProvider = metrics.getMeterProvider(),
  keys = false,
}: LockTelemetryOptions = {}): () => void {
  const stops = [
    ...(tracerProvider
      ? [tracing.start(tracerProvider, () => traceLocks(tracerProvider, SCOPE, keys))]
      : []),
    ...(meterProvider
      ? [measuring.start(meterProvider, () => measureLocks(meterProvider, SCOPE))]
      : []),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
