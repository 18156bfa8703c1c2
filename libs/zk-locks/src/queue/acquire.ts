import type { Wait } from 'zk-client/recipes';
import { type AcquireContext, Contender } from './contender.js';
import { explainRefusal } from './explain-refusal.js';
import type { Recipe } from './recipe.js';
import { refuseIfTaken } from './single-try.js';
import type { WaitRequest } from './wait.js';

/**
 * Queues up until it is this call's turn, and then claims its node.
 *
 * A call whose node is gone queues up anew, as it does when its session ends while it waits. However
 * this ends, other than by returning what the recipe made of the node, the node is removed.
 *
 * @throws the error of `wait` once that is over
 * @throws {LockAccessError} {@link LockDirectoryError}
 * @throws {ZooKeeperError} the server's refusal
 */
export function acquire<T>(
  recipe: Recipe<T>,
  request: WaitRequest,
  wait: Wait,
  context: AcquireContext,
): Promise<T> {
  const queueUp = (): Promise<T> =>
    new Promise((resolve, reject) => {
      void new Contender({ context, recipe, wait, resolve, reject }).queueUp();
    });
  if (request.timeoutMs > 0) return queueUp();
  return explainRefusal(context.session, recipe.directory, () =>
    refuseIfTaken(recipe, request, wait, context),
  ).then(queueUp);
}
