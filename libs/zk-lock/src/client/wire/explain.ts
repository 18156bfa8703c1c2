import { RequestError } from 'zk-client';
import { ReturnCode, ZooKeeperError } from '../client-errors.js';

/** What `send` answers, or its failure as an error of the port. */
export async function explained<T>(
  request: string,
  path: string,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const isUnsent = !error.wasSent && !error.isRefusal;
    const returnCode = isUnsent ? ReturnCode.invalidState : error.code;
    throw new ZooKeeperError(returnCode, request, path, { cause: error.cause });
  }
}
