import { ZkLockConfigError } from '../zk-lock-error.js';
import { isAbortSignal, show } from '../given-options.js';
import type { ReleaseMode } from '../lock.js';
import { MAX_LABEL_LENGTH } from './holder-data.js';

/** What every call that may wait can be told, whatever it waits for. */
export interface WaitOptions {
  timeoutMs?: number | undefined;
  label?: string | undefined;
  pattern?: string | undefined;
  signal?: AbortSignal | undefined;
  release?: ReleaseMode | undefined;
}

const RELEASE_MODES: readonly unknown[] = ['wait', 'background'] satisfies ReleaseMode[];

/** @throws {ZkLockConfigError} */
export function checkWaitOptions({
  timeoutMs,
  label,
  pattern,
  signal,
  release,
}: WaitOptions): void {
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (label !== undefined) checkLabel('label', label);
  if (pattern !== undefined) checkLabel('pattern', pattern);
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
  if (release !== undefined) checkRelease(release);
}

/** @throws {ZkLockConfigError} */
export function checkRelease(value: unknown): void {
  if (RELEASE_MODES.includes(value)) return;
  throw new ZkLockConfigError(
    'release',
    `${show(value)} is no way to do it`,
    "Use 'wait' or 'background'.",
  );
}

/** @throws {ZkLockConfigError} */
export function checkLabel(option: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LABEL_LENGTH) {
    throw new ZkLockConfigError(
      option,
      `${show(value)} cannot be shown as one`,
      `Use a text of 1 to ${MAX_LABEL_LENGTH} characters.`,
    );
  }
}

/** @throws {ZkLockConfigError} */
export function checkTimeout(option: string, value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
    throw new ZkLockConfigError(
      option,
      `${show(value)} is no waiting time`,
      'Use milliseconds from 0 on, or Infinity to wait without limit.',
    );
  }
}
