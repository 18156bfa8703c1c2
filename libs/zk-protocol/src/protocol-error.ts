/**
 * What is wrong with the bytes, or with what was to become bytes:
 * - `TRUNCATED`: they end before the record does;
 * - `BAD_LENGTH`: a length is negative where it cannot be, or no frame may be that long;
 * - `BAD_VALUE`: a null, a number or a type that this place of the record cannot hold.
 */
export type ProtocolErrorCode = 'TRUNCATED' | 'BAD_LENGTH' | 'BAD_VALUE';

/** Bytes that are not what the protocol has at this place. Nothing else is thrown on bad input. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(
    readonly code: ProtocolErrorCode,
    message: string,
  ) {
    super(message);
  }
}
