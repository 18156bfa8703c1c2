import { inspect } from 'node:util';
import { ZkLockConfigError } from '../../zk-lock-error.js';
import { MAX_LABEL_LENGTH } from '../queue/holder-data.js';
import type { AcquireOptions } from '../lock.js';

const KNOWN = ['mode', 'timeoutMs', 'label', 'signal', 'reentrant'];
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
  const { mode, timeoutMs, label, signal, reentrant } = options;
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ZkLockConfigError('mode', `"${mode}" is no mode`, "Use 'read' or 'write'.");
  }
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (label !== undefined) checkLabel('label', label);
  if (reentrant !== undefined && typeof reentrant !== 'boolean') {
    throw new ZkLockConfigError(
      'reentrant',
      `${inspect(reentrant)} is no boolean`,
      'Write true or false.',
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
}

/** @throws {ZkLockConfigError} */
export function checkLabel(option: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LABEL_LENGTH) {
    throw new ZkLockConfigError(
      option,
      `${inspect(value).slice(0, 40)} cannot be shown as one`,
      `Use a text of 1 to ${MAX_LABEL_LENGTH} characters.`,
    );
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
