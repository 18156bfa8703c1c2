import { ErrorCode, errorName, opName, type RequestType } from 'zk-protocol';

/**
 * A request that failed. `code` is the server's (`KeeperException.Code`), or one of the client's:
 * `connectionLoss` and `operationTimeout` if there is no answer, `marshallingError` if the answer
 * makes no sense.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly code: number,
    readonly request: string,
    readonly path: string,
    /** False if the request was not sent, so that the server cannot have executed it. */
    readonly wasSent: boolean,
    options?: ErrorOptions,
  ) {
    super(`ZooKeeper ${request} ${path}: ${errorName(code) ?? 'error'} (${code})`, options);
  }

  /** Whether the server refused the request, and so did not do it. */
  get isRefusal(): boolean {
    return this.code <= ErrorCode.apiError || REFUSALS.has(this.code);
  }
}

/** Refusals among the codes for system errors. */
const REFUSALS = new Set<number>([ErrorCode.badArguments, ErrorCode.unimplemented]);

/** The failure of one request of a type, about a path. */
export function errorOf(
  { type, path }: { readonly type: RequestType; readonly path: string },
  code: number,
  wasSent: boolean,
  cause?: unknown,
): RequestError {
  const options = cause === undefined ? undefined : { cause };
  return new RequestError(code, opName(type) ?? String(type), path, wasSent, options);
}
