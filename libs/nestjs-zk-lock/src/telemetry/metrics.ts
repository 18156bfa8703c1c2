import type { CallEvent, SessionStateName } from 'zk-locks/events';

/** The buckets for both exporters. Prometheus uses the same metric names, with `_` for each dot. */
export const DURATION_BUCKETS_S: readonly number[] = [
  0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300,
];

export const SESSION_STATES: readonly SessionStateName[] = [
  'connecting',
  'connected',
  'suspended',
  'lost',
  'closed',
];

/**
 * The reasons for the loss of a session. Each is counted from 0 on, because Prometheus does not see
 * a rise from nothing to 1.
 */
export const SESSION_LOSS_REASONS: readonly string[] = [
  'lease-expired',
  'session-expired',
  'session-too-short',
];

// A type, because exporters accept any record.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
export type CallLabels = {
  connection: string;
  kind: string;
  mode: string;
  /** Empty if there is no pattern; never the key. */
  pattern: string;
};

export function labelsOf({ connection, kind, mode, pattern = '' }: CallEvent): CallLabels {
  return { connection, kind, mode, pattern };
}
