import { inspect } from 'node:util';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { AcquireOptions } from './lock.js';

const KNOWN = ['mode', 'timeoutMs', 'signal'];
const MODES: readonly string[] = ['read', 'write'];

/**
 * Refuses what TypeScript would have refused, for callers without it and for values computed at
 * run time.
 *
 * @throws {ZkLockConfigError}
 */
export function checkAcquireOptions(options: AcquireOptions): void {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new ZkLockConfigError(unknown, 'there is no such option', `Use ${KNOWN.join(', ')}.`);
  }
  const { mode, timeoutMs, signal } = options;
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ZkLockConfigError('mode', `"${mode}" is no mode`, "Use 'read' or 'write'.");
  }
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
}

/** @throws {ZkLockConfigError} */
export function checkTimeout(option: string, value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
    throw new ZkLockConfigError(
      option,
      `${inspect(value)} is no waiting time`,
      'Use milliseconds from 0 on, or Infinity to wait without limit.',
    );
  }
}
