import { type Observable, isObservable } from 'rxjs';
import { MAX_LABEL_LENGTH } from '../../locks/queue/holder-data.js';
import { LockKeyError } from '../../locks/lock-errors.js';
import type { Lock } from '../../locks/lock.js';
import { findLockService } from './find-lock-service.js';
import { type HandlerScope, handlerScopeOf } from './handler-scope.js';
import { replacePlaceholder } from './lock-placeholder.js';
import type { LockedDefinition } from './locked-definition.js';
import { LockedDecoratorError } from './locked-errors.js';
import { handOver, streamUnderLock } from './locked-stream.js';
import { moduleRefOf } from './module-ref-injection.js';
import type { MethodCall } from './wrap-method.js';

/** One call of a `@Locked()` method. */
export interface LockedCall extends MethodCall {
  readonly definition: LockedDefinition;
}

/**
 * The one way into a `@Locked()` method: takes the lock, runs the method, and releases the lock when
 * its promise has settled or its Observable is over.
 */
export function lockedCall(call: LockedCall): unknown {
  const scope = handlerScopeOf(call.definition);
  if (!call.definition.streams) return promiseUnderLock(call, scope);
  return streamUnderLock(
    (signal, section) => withLock(call, signal, section),
    (lock) => run(call, lock) as Observable<unknown>,
    scope?.signal,
  );
}

function promiseUnderLock(call: LockedCall, scope: HandlerScope | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const guarded = withLock(call, scope?.signal, async (lock) => {
      const result = await run(call, lock);
      if (!isObservable(result)) return result;
      if (!scope) throw unguardedStream(call.definition);
      const { stream, over } = handOver(result, lock, () => guarded, scope.signal);
      resolve(stream);
      return over;
    });
    guarded.then(resolve, reject);
  });
}

async function withLock<T>(
  { definition, instance, args }: LockedCall,
  signal: AbortSignal | undefined,
  section: (lock: Lock) => Promise<T>,
): Promise<T> {
  const { method, options } = definition;
  const { mode, reentrant, connection } = options;
  const service = findLockService(moduleRefOf(instance), method, connection);
  const timeoutMs =
    typeof options.timeoutMs === 'function' ? options.timeoutMs(...args) : options.timeoutMs;
  const label = method.slice(0, MAX_LABEL_LENGTH);
  const acquireOptions = { mode, timeoutMs, label, signal, reentrant };
  const [key = '', ...more] = keysOf(definition, args);
  if (more.length === 0) return service.withLock(key, acquireOptions, section);
  return service.withLocks([key, ...more], acquireOptions, () => section(service.currentLock(key)));
}

function keysOf(
  { method, keysOf: compute }: LockedDefinition,
  args: readonly unknown[],
): readonly string[] {
  try {
    return compute(args);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new LockKeyError(`${method} did not run, for its lock has no key. ${problem}`, {
      cause: error,
    });
  }
}

/** Runs the method; where another decorator of ours stands in between, that one fills in its lock. */
function run({ definition, args, invoke }: LockedCall, lock: Lock): unknown {
  return invoke(definition.innermost ? replacePlaceholder(args, lock) : args);
}

function unguardedStream({ method }: LockedDefinition): LockedDecoratorError {
  return new LockedDecoratorError(
    method,
    'it returned an Observable inside a promise, and no lock can be held for a subscription that may never come. Declare its return type as `Observable<…>`, with `emitDecoratorMetadata` on.',
  );
}
