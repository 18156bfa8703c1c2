import { ErrorCode, errorName } from 'zk-protocol';

/** What a request was: its name in the protocol, and the path it was about. */
export interface RequestLabel {
  readonly request: string;
  readonly path: string;
}

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
