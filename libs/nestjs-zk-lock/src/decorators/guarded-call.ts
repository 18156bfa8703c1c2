import { types } from 'node:util';
import { isObservable, type Observable } from 'rxjs';
import { LockTimeoutError } from 'zk-locks';
import { MAX_LABEL_LENGTH, nameGuard } from 'zk-locks/internal';
import { type DecoratorWords, LockedDecoratorError } from './decorator-errors.js';
import { answerInstead, resolveOption } from './decorator-options.js';
import { findLockService, moduleRefOf } from './find-lock-service.js';
import type { DecoratedMethod, GuardedDefinition, Held } from './guarded-definition.js';
import { handOver, streamWhileHeld } from './guarded-stream.js';
import { type HandlerScope, handlerScopeOf } from './locked.interceptor.js';
import type { MethodCall } from './wrap-method.js';

/** One call of a decorated method. */
interface GuardedCall<H extends Held> extends MethodCall {
  readonly definition: GuardedDefinition<H>;
}

/**
 * The one way into a `@Locked()` or `@WithPermit()` method: takes what it needs, runs the method, and
 * releases that when the method's promise has settled or its Observable is over.
 */
export function guardedCall<H extends Held>(
  definition: GuardedDefinition<H>,
  methodCall: MethodCall,
): unknown {
  const call = { definition, ...methodCall };
  const scope = handlerScopeOf(definition);
  if (!definition.streams) return promiseWhileHeld(call, scope);
  return streamWhileHeld(
    (signal, section: (held: H) => Promise<void>, instead) => hold(call, signal, section, instead),
    (held) => run(call, held) as Observable<unknown>,
    scope?.signal,
  );
}

function promiseWhileHeld<H extends Held>(
  call: GuardedCall<H>,
  scope: HandlerScope | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const section = async (held: H): Promise<unknown> => {
      const result = await run(call, held);
      if (isLazyResult(result)) return refuseUnread(result, call.definition);
      if (!isObservable(result)) return result;
      if (!scope) throw unguardedStream(call.definition);
      const { stream, over } = handOver(result, held, () => guarded, scope.signal);
      resolve(stream);
      return over;
    };
    const guarded = hold(call, scope?.signal, section, (answer) => answer);
    guarded.then(resolve, reject);
  });
}

/** @param instead passes on what `onBusy` answers */
async function hold<H extends Held, T>(
  { definition, instance, args }: GuardedCall<H>,
  signal: AbortSignal | undefined,
  section: (held: H) => Promise<T>,
  instead: (answer: unknown) => T | Promise<T>,
): Promise<T> {
  const { method, options, decorator } = definition;
  const service = findLockService(moduleRefOf(instance), method, options.connection, decorator);
  const onBusy = options.onBusy ?? 'throw';
  const timeoutMs =
    resolveOption('timeoutMs', options.timeoutMs, args) ?? (onBusy === 'throw' ? undefined : 0);
  const label = method.slice(0, MAX_LABEL_LENGTH);
  const { pattern } = definition;
  let isHeld = false as boolean;
  try {
    return await definition.hold(service, { args, timeoutMs, label, pattern, signal }, (held) => {
      isHeld = true;
      return section(held);
    });
  } catch (error) {
    // The method may run into the timeout of another lock: that is its own error.
    if (isHeld || onBusy === 'throw' || !(error instanceof LockTimeoutError)) throw error;
    service.countSkipped();
    const reason = `the ${nameGuard(error.mode, error.key)} is busy`;
    return instead(await answerInstead(definition, onBusy, reason, args));
  }
}

function run<H extends Held>({ definition, args, invoke }: GuardedCall<H>, held: H): unknown {
  return invoke(definition.fillIn?.(args, held) ?? args);
}

function refuseUnread(result: LazyResult, { method, decorator }: DecoratedMethod): Promise<never> {
  const remedy =
    'Read it to its end inside the method and return an array, or return an Observable, and declare that.';
  return refuseLazyResult(result, method, decorator, remedy);
}

function unguardedStream({ method, decorator }: DecoratedMethod): LockedDecoratorError {
  return new LockedDecoratorError(
    method,
    'it returned an Observable inside a promise, and nothing can be held for a subscription that may never come. Declare its return type as `Observable<…>`, with `emitDecoratorMetadata` on.',
    { decorator },
  );
}

/** A generator, or an async iterator: its work is done when somebody reads it. */
export interface LazyResult {
  return?(): unknown;
}

/** Not any iterator: that of a `Map`, for one, has no work of its own to do. */
export function isLazyResult(result: unknown): result is LazyResult {
  if (types.isGeneratorObject(result)) return true;
  const { next, [Symbol.asyncIterator]: iterate } = (result ?? {}) as {
    next?: unknown;
    [Symbol.asyncIterator]?: unknown;
  };
  return typeof next === 'function' && typeof iterate === 'function';
}

/**
 * Ends it while what its method holds is still held, for it may have begun already.
 *
 * @param remedy what to return instead, as a sentence
 * @throws {LockedDecoratorError}
 */
export async function refuseLazyResult(
  result: LazyResult,
  method: string,
  decorator: DecoratorWords,
  remedy: string,
): Promise<never> {
  try {
    await result.return?.();
  } catch {
    // What it throws at its end is the lesser error.
  }
  const problem = `it returned a generator or an async iterator, which would do its work when it is read, and nothing is held then. ${remedy}`;
  throw new LockedDecoratorError(method, problem, { decorator });
}
