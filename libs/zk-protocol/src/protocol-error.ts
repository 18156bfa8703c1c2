/**
 * What is wrong with the bytes, or with the value to encode:
 * - `TRUNCATED`: they end before the record does;
 * - `BAD_LENGTH`: a length is negative where it must not be;
 * - `TOO_LONG`: a frame has more bytes or more elements than are allowed;
 * - `BAD_VALUE`: a null, a number or a type that is not allowed at this place of the record.
 */
export type ProtocolErrorCode = 'TRUNCATED' | 'BAD_LENGTH' | 'TOO_LONG' | 'BAD_VALUE';

/** Bytes that the protocol does not allow at this place. Bad input throws no other error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(
    readonly code: ProtocolErrorCode,
    message: string,
  ) {
    super(message);
  }
}
