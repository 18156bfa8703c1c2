import { RequestError } from 'zk-client';
import { ReturnCode, ZooKeeperError } from '../client-errors.js';

/** The failure of a request as an error of the port; what is none of zk-client's as it is. */
export function explain(request: string, path: string, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const isUnsent = !error.wasSent && !error.isRefusal;
  const returnCode = isUnsent ? ReturnCode.invalidState : error.code;
  return new ZooKeeperError(returnCode, request, path, { cause: error.cause });
}

/** What `send` answers, or its failure as an error of the port. */
export async function explained<T>(
  request: string,
  path: string,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw explain(request, path, error);
  }
}
