import { ErrorCode, errorName } from 'zk-protocol';

/** A request that is answered with an error code, and has changed nothing. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(readonly code: ErrorCode) {
    super(errorName(code));
  }
}
