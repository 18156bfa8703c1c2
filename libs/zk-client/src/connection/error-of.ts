import { OpCode, opName, type RequestType } from 'zk-protocol';
import { ZooKeeperError } from '../port/client-errors.js';

/** The names that errors use for requests whose names in the protocol differ. */
const CALLS: Readonly<Partial<Record<RequestType, string>>> = {
  [OpCode.create2]: 'create',
  [OpCode.createContainer]: 'create',
  [OpCode.createTTL]: 'create',
  [OpCode.getChildren]: 'list',
  [OpCode.getData]: 'get',
  [OpCode.setData]: 'set',
  [OpCode.multi]: 'transact',
  [OpCode.auth]: 'addAuth',
  [OpCode.sasl]: 'addAuth',
};

/** The failure of one request of a type, about a path. */
export function errorOf(
  { type, path }: { readonly type: RequestType; readonly path: string },
  returnCode: number,
  cause?: unknown,
): ZooKeeperError {
  const call = CALLS[type] ?? opName(type) ?? String(type);
  return new ZooKeeperError(returnCode, call, path, cause === undefined ? {} : { cause });
}
