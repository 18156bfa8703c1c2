import { isObservable } from 'rxjs';
import { LockServiceClosedError, NotLeaderError } from 'zk-locks';
import { ONLY_LEADER } from '../guarded/decorator-words.js';
import { findLockService } from '../guarded/find-lock-service.js';
import { replacePlaceholder } from '../locked/lock-placeholder.js';
import { LockedDecoratorError } from '../guarded/guarded-errors.js';
import { isLazyResult, refuseLazyResult } from '../guarded/lazy-result.js';
import { moduleRefOf } from '../guarded/module-ref-injection.js';
import { answerInstead } from '../guarded/on-busy.js';
import type { MethodCall } from '../guarded/wrap-method.js';
import { joinElection } from './election-joiner.js';
import type { OnlyLeaderDefinition } from './only-leader-definition.js';

const READ_INSIDE = 'Read it to its end inside the method, and return an array.';

/** The one way into an `@OnlyLeader()` method. */
export async function leaderCall(
  definition: OnlyLeaderDefinition,
  { instance, args, invoke }: MethodCall,
): Promise<unknown> {
  const { method, options, innermost } = definition;
  const { onFollower = 'throw' } = options;
  const service = findLockService(moduleRefOf(instance), method, options.connection, ONLY_LEADER);
  let hasBegun = false as boolean;
  try {
    return await joinElection(service, definition).asLeader(async (lock) => {
      hasBegun = true;
      const result = await invoke(innermost ? replacePlaceholder(args, lock) : args);
      if (isLazyResult(result)) return refuseLazyResult(result, method, ONLY_LEADER, READ_INSIDE);
      if (isObservable(result)) throw unguardedStream(method);
      return result;
    });
  } catch (error) {
    if (hasBegun || onFollower === 'throw' || !isNotForHere(error)) throw error;
    const reason = `this process does not lead "${definition.key}"`;
    return await answerInstead({ method, decorator: ONLY_LEADER }, onFollower, reason, args);
  }
}

/** A process that shuts down has handed over: somebody else leads, or will. */
function isNotForHere(error: unknown): boolean {
  return error instanceof NotLeaderError || error instanceof LockServiceClosedError;
}

function unguardedStream(method: string): LockedDecoratorError {
  return new LockedDecoratorError(
    method,
    'it returned an Observable, for which nobody can lead until it completes. Return a promise.',
    { decorator: ONLY_LEADER },
  );
}
