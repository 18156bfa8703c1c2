import { hasReturnCode, ReturnCode } from '../../client/client-errors.js';

/** The answer about a node, or what stands for it where there is no such node. */
export async function orIfGone<T, U>(answer: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noNode)) return instead;
    throw error;
  }
}
