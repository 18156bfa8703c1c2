import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One run of a decorated handler, from the interceptor down to the method: what the wrapped method
 * cannot know by itself.
 */
export interface HandlerScope {
  /** Those of the handler. Methods it calls are other methods: nothing here concerns them. */
  readonly definitions: readonly object[];
  /** Aborts when nobody waits for the handler's answer any more. */
  readonly signal: AbortSignal;
}

const scopes = new AsyncLocalStorage<HandlerScope>();

export function runInHandlerScope<T>(scope: HandlerScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

/** The scope of the running handler, if it is the one that `definition` belongs to. */
export function handlerScopeOf(definition: object): HandlerScope | undefined {
  const scope = scopes.getStore();
  return scope?.definitions.includes(definition) ? scope : undefined;
}
