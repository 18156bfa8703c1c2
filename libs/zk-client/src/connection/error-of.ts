import { OpCode, opName, type RequestType } from 'zk-protocol';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';

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

/** What to do about an answer that is too long. */
const REMEDIES: Readonly<Partial<Record<RequestType, string>>> = {
  [OpCode.getChildren]: 'Delete the children of this node that are not needed.',
  [OpCode.getData]: 'Shorten the data of this node.',
};

/** The failure of one request of a type, about a path. */
export function errorOf(
  { type, path }: { readonly type: RequestType; readonly path: string },
  returnCode: number,
  cause?: unknown,
): ZooKeeperError {
  const call = CALLS[type] ?? opName(type) ?? String(type);
  const remedy = returnCode === ReturnCode.answerTooLong ? REMEDIES[type] : undefined;
  return new ZooKeeperError(returnCode, call, path, {
    ...(cause !== undefined && { cause }),
    ...(remedy !== undefined && { remedy }),
  });
}
