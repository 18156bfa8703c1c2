import { types } from 'node:util';
import { UseInterceptors } from '@nestjs/common';
import { from, isObservable, type Observable, of } from 'rxjs';
import { LockTimeoutError } from 'zk-locks';
import { MAX_LABEL_LENGTH, nameLock, resolveOption } from 'zk-locks/framework';
import { internalsOf } from '../lock.service.js';
import {
  type HandlerScope,
  handlerScopeOf,
  replacePlaceholder,
  runOutsideHandlerScope,
} from './current.js';
import { type DecoratedMethod, isDecorated, type MethodDescriptor } from './decorated-method.js';
import type { Decorator, LockedDecoratorError } from './decorator-errors.js';
import {
  answerInstead,
  defineMethod,
  type GuardedDefinition,
  type Held,
  type OnBusy,
  refusal,
  SkippedError,
} from './definition.js';
import { findLockService, injectModuleRef, moduleRefOf } from './find-lock-service.js';
import { handOver, streamWhileHeld, whileHeld } from './guarded-stream.js';
import { LockedInterceptor } from './locked.interceptor.js';

export interface MethodCall {
  readonly instance: unknown;
  readonly args: readonly unknown[];
  /** Runs the method that the decorator wraps. */
  readonly invoke: (args: readonly unknown[]) => unknown;
}

/**
 * Wraps the method that it is applied to with `call`, and marks it with `decorator`.
 *
 * @param define checks the decorator's arguments
 */
export function decorate<Definition extends DecoratedMethod>(
  decorator: Decorator,
  define: (method: DecoratedMethod) => Definition,
  call: (definition: Definition, call: MethodCall) => unknown,
): (target: object, propertyKey: string | symbol, descriptor?: unknown) => void {
  return (target, propertyKey, given) => {
    const definition = define(defineMethod(target, propertyKey, given, decorator));
    const descriptor = given as MethodDescriptor;
    const method = descriptor.value;
    descriptor.value = new Proxy(method, {
      apply: (_method, instance: unknown, args: unknown[]) =>
        call(definition, {
          instance,
          args,
          invoke: (finalArgs) => Reflect.apply(method, instance, finalArgs),
        }),
    });
    injectModuleRef(target);
    copyMetadata(method, descriptor.value);
    const inner = Reflect.getOwnMetadata(decorator.mark, method) as object[] | undefined;
    Reflect.defineMetadata(decorator.mark, [...(inner ?? []), definition], descriptor.value);
    if (isDecorated(method)) return;
    UseInterceptors(LockedInterceptor)(definition, definition.method, descriptor);
  };
}

/**
 * Decorators of routes, schedules and events store metadata on the function, which Nest reads
 * later.
 */
function copyMetadata(from: object, to: object): void {
  for (const name of Reflect.getOwnMetadataKeys(from) as unknown[]) {
    Reflect.defineMetadata(name, Reflect.getOwnMetadata(name, from), to);
  }
}

/** One call of a method that holds something. */
interface GuardedCall<H extends Held> extends MethodCall {
  readonly definition: GuardedDefinition<H>;
  /** That of the call, which a subscriber to its Observable may be outside of. */
  readonly scope: HandlerScope | undefined;
}

/**
 * The single entry into a `@Locked()` or `@WithPermit()` method: acquires the lock or permits, runs
 * the method, and releases them when its promise has settled or its Observable has ended.
 */
export function guardedCall<H extends Held>(
  definition: GuardedDefinition<H>,
  methodCall: MethodCall,
): unknown {
  const scope = handlerScopeOf(definition);
  const call = { definition, scope, ...methodCall };
  if (!definition.streams) return promiseWhileHeld(call);
  return streamWhileHeld(
    (signal, section: (held: H) => Promise<void>, instead) =>
      hold(call, signal, section, (answer) =>
        instead(answer === undefined && scope?.needsValue ? of(undefined) : answer),
      ),
    (held) => run(call, held) as Observable<unknown>,
    scope?.signal,
  );
}

function promiseWhileHeld<H extends Held>(call: GuardedCall<H>): Promise<unknown> {
  const { scope } = call;
  return new Promise((resolve, reject) => {
    const section = async (held: H): Promise<unknown> => {
      const result = await run(call, held);
      if (isLazyResult(result)) return refuseLazyResult(result, call.definition, READ_INSIDE);
      if (!isObservable(result)) return result;
      if (!scope) throw unguardedStream(call.definition);
      const { stream, over } = handOver(result, held, () => guarded, scope.signal);
      resolve(stream);
      return over;
    };
    const instead = (answer: unknown): unknown =>
      scope && isObservable(answer) ? whileHeld(from(answer), scope) : answer;
    const guarded = hold(call, scope?.signal, section, instead);
    guarded.then(resolve, reject);
  });
}

/** @param instead receives the result that `onBusy` provides */
async function hold<H extends Held, T>(
  { definition, scope, instance, args: given }: GuardedCall<H>,
  signal: AbortSignal | undefined,
  section: (held: H) => Promise<T>,
  instead: (answer: unknown) => T | Promise<T>,
): Promise<T> {
  const { method, options, decorator } = definition;
  const service = findLockService(moduleRefOf(instance), method, options.connection, decorator);
  const onBusy = options.onBusy ?? 'throw';
  const args = replacePlaceholder(given, undefined);
  // A job waits, because the lock of a runner that died is released late, and only then is the job
  // due.
  const triesOnce = onBusy !== 'throw' && options.atMostEveryMs === undefined;
  const timeoutMs =
    resolveOption('timeoutMs', options.timeoutMs, args) ?? (triesOnce ? 0 : undefined);
  const label = method.slice(0, MAX_LABEL_LENGTH);
  const { pattern } = definition;
  const request = { args, timeoutMs, label, pattern, signal };
  const internals = internalsOf(service);
  return internals.outcomes.count(
    definition,
    (onRun) =>
      definition.hold(service, request, (held) => {
        onRun();
        return runOutsideHandlerScope(definition, () => section(held));
      }),
    (error) => {
      const reason = whySkipped(error, onBusy);
      if (reason === undefined) return undefined;
      return async () => {
        internals.skipped++;
        const answer = onBusy === 'throw' ? 'skip' : onBusy;
        return instead(await answerInstead(definition, scope, answer, reason, args));
      };
    },
  );
}

/** Why the method does not run, as a clause; undefined if its call fails. */
function whySkipped(error: unknown, onBusy: OnBusy): string | undefined {
  if (error instanceof SkippedError) return error.message;
  if (onBusy === 'throw' || !(error instanceof LockTimeoutError)) return undefined;
  return `the ${nameLock(error.mode, error.key)} is busy`;
}

function run<H extends Held>({ definition, args, invoke }: GuardedCall<H>, held: H): unknown {
  return invoke(definition.fillIn?.(args, held) ?? args);
}

function unguardedStream(method: DecoratedMethod): LockedDecoratorError {
  return refusal(
    method,
    'it returned an Observable inside a promise, and the lock cannot be held for a subscription that may never happen. Declare its return type as `Observable<…>`, with `emitDecoratorMetadata` on and without `import type`.',
  );
}

const READ_INSIDE =
  'Read it to its end inside the method and return an array, or return an Observable and declare that type.';

/** A generator or an async iterator: it does its work while it is read. */
export interface LazyResult {
  return?(): unknown;
}

/** Excludes other iterators, such as that of a `Map`, which have no work to do. */
export function isLazyResult(result: unknown): result is LazyResult {
  if (types.isGeneratorObject(result)) return true;
  const { next, [Symbol.asyncIterator]: iterate } = (result ?? {}) as {
    next?: unknown;
    [Symbol.asyncIterator]?: unknown;
  };
  return typeof next === 'function' && typeof iterate === 'function';
}

/**
 * Ends it while the lock or permits are still held, because it may have begun already.
 *
 * @param remedy what to return instead, as a sentence
 * @throws {LockedDecoratorError}
 */
export async function refuseLazyResult(
  result: LazyResult,
  method: DecoratedMethod,
  remedy: string,
): Promise<never> {
  try {
    await result.return?.();
  } catch {
    // What it throws at its end is the lesser error.
  }
  const problem = `it returned a generator or an async iterator, which does its work when it is read. By then, nothing is held. ${remedy}`;
  throw refusal(method, problem);
}
