import { hasReturnCode, ReturnCode, type Session } from 'zk-client/recipes';
import { LockAccessError } from '../lock-errors.js';

/** @throws {LockAccessError} where ZooKeeper's ACLs keep `work` from doing what it wants at `path` */
export function explainRefusal<T>(
  session: Session,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch((error: unknown) => {
    throw explained(session, error, path);
  });
}

export function explained({ access }: Session, error: unknown, path: string): unknown {
  if (!hasReturnCode(error, ReturnCode.noAuth)) return error;
  access.callRefused(path);
  return new LockAccessError(path, { ...access.identity, cause: error });
}
