import { type MeterProvider, metrics, trace, type TracerProvider } from '@opentelemetry/api';
import { boolean, object, readChecked } from 'zk-locks/framework';
import { StartOnce } from '../telemetry/start-once.js';
import { measureLocks } from './lock-meter.js';
import { traceLocks } from './lock-tracer.js';

const SCOPE = 'nestjs-zk-lock';

/**
 * The providers that receive spans and metrics of locks.
 *
 * @publicApi
 */
export interface LockTelemetryOptions {
  /** @default the global one; `false` for no spans */
  tracerProvider?: TracerProvider | false | undefined;
  /** @default the global one; `false` for no metrics */
  meterProvider?: MeterProvider | false | undefined;
  /**
   * Whether spans have the key itself as `zk_lock.key`. Metrics never do. If you call
   * `instrumentLocks()` again for the same provider, the value of the first call applies.
   * @default false
   */
  keys?: boolean | undefined;
}

const OPTIONS = {
  tracerProvider: object('Pass a TracerProvider, or `false` for no spans.', 'or false'),
  meterProvider: object('Pass a MeterProvider, or `false` for no metrics.', 'or false'),
  keys: boolean,
};

const tracing = new StartOnce<TracerProvider>();
const measuring = new StartOnce<MeterProvider>();

/**
 * Creates spans and metrics for the locks of this process, until it is stopped. Call it after the SDK
 * has set its providers. If you call it again for the same providers, nothing is reported twice.
 *
 * @example
 * ```ts
 * const stop = instrumentLocks();
 * ```
 *
 * @returns a function that stops it, and ends the spans that are open
 * @throws {ZkLockConfigError}
 * @publicApi
 */
export function instrumentLocks(options: LockTelemetryOptions = {}): () => void {
  const {
    tracerProvider = trace.getTracerProvider(),
    meterProvider = metrics.getMeterProvider(),
    keys = false,
  } = readChecked(options, OPTIONS);
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
