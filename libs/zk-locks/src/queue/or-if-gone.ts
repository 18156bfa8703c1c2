import { hasReturnCode, ReturnCode } from '../client/client-errors.js';

/** The answer about a node, or what stands for it where there is no such node. */
export function orIfGone<T, U>(answer: Promise<T>, instead: U): Promise<T | U> {
  return answer.catch((error: unknown) => {
    if (hasReturnCode(error, ReturnCode.noNode)) return instead;
    throw error;
  });
}
