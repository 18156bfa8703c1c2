import { types } from 'node:util';

/** An error on its way to another thread, which by itself would lose its code there. */
export interface ErrorMessage {
  readonly error: unknown;
  /** `code`, `errno`, `port` and what else Node tells of a failure. */
  readonly details: object;
}

export function packError(error: unknown): ErrorMessage {
  return { error, details: Object.fromEntries(Object.entries(error as object)) };
}

export function unpackError({ error, details }: ErrorMessage): unknown {
  return types.isNativeError(error) ? Object.assign(error, details) : error;
}
