import { types } from 'node:util';

/** An error with its properties, which a transfer to another thread would otherwise lose. */
export interface ErrorMessage {
  readonly error: unknown;
  /** `code`, `errno`, `port` and Node's other properties. */
  readonly details: object;
}

export function packError(error: unknown): ErrorMessage {
  return { error, details: Object.fromEntries(Object.entries(error as object)) };
}

export function unpackError({ error, details }: ErrorMessage): unknown {
  return types.isNativeError(error) ? Object.assign(error, details) : error;
}
