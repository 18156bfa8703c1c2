import { inspect } from 'node:util';
import { ZkLockConfigError } from '../../zk-lock-error.js';
import { MAX_LABEL_LENGTH } from './holder-data.js';

/** What every call that may wait can be told, whatever it waits for. */
export interface WaitOptions {
  timeoutMs?: number | undefined;
  label?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** @throws {ZkLockConfigError} */
export function checkWaitOptions({ timeoutMs, label, signal }: WaitOptions): void {
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (label !== undefined) checkLabel('label', label);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
}

/** @throws {ZkLockConfigError} where `options` has a name that is not among `known` */
export function checkOptionNames(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || (options as object | null) === null) {
    const use = `Use an object with any of ${known.join(', ')}.`;
    throw new ZkLockConfigError('options', `${inspect(options)} is none`, use);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ZkLockConfigError(unknown, 'there is no such option', `Use ${known.join(', ')}.`);
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
