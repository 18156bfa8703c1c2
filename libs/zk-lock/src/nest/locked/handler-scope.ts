import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockedDefinition } from './locked-definition.js';

/**
 * One run of a `@Locked()` handler, from the interceptor down to the method: what the wrapped method
 * cannot know by itself.
 */
export interface HandlerScope {
  /** Those of the handler. Methods it calls are other methods: nothing here concerns them. */
  readonly definitions: readonly LockedDefinition[];
  /** Aborts when nobody waits for the handler's answer any more. */
  readonly signal: AbortSignal;
}

const scopes = new AsyncLocalStorage<HandlerScope>();

export function runInHandlerScope<T>(scope: HandlerScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

/** The scope of the running handler, if it is the one that `definition` belongs to. */
export function handlerScopeOf(definition: LockedDefinition): HandlerScope | undefined {
  const scope = scopes.getStore();
  return scope?.definitions.includes(definition) ? scope : undefined;
}
