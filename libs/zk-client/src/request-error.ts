import { ErrorCode, errorName, opName, type RequestType } from 'zk-protocol';

/**
 * A request that failed. `code` is the server's (`KeeperException.Code`), or one of these of ours:
 * `connectionLoss` and `operationTimeout` where there is no answer, `marshallingError` where the
 * answer makes no sense.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly code: number,
    readonly request: string,
    readonly path: string,
    /** False where nothing was sent, so that the server cannot have executed it. */
    readonly wasSent: boolean,
    options?: ErrorOptions,
  ) {
    super(`ZooKeeper ${request} ${path}: ${errorName(code) ?? 'error'} (${code})`, options);
  }

  /** Whether the server itself has refused it, and did not do it. */
  get isRefusal(): boolean {
    return this.code <= ErrorCode.apiError || REFUSALS.has(this.code);
  }
}

/** Refusals among the codes that stand for troubles of the system. */
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
