import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** As much of a lock service as is needed here. */
interface Service {
  close(): Promise<void>;
}

/** The start of an application. */
interface Start {
  readonly services: Set<Service>;
  /** Present once a step has failed. What fails after that is a consequence of it. */
  failure?: { readonly error: unknown };
}

const starts = new WeakMap<object, Start>();

/** For each application, promises that settle when its lock services send no more events. */
const ends = new WeakMap<object, Promise<unknown>[]>();

/** Running applications. Modules that `LazyModuleLoader` loads later are a start of their own. */
const running = new WeakSet<object>();

/** Called when an application has started. Later failures do not close its services. */
export function hasStarted(application: object): void {
  running.add(application);
  starts.delete(application);
}

/**
 * A step of the start of an application. If it fails, all lock services of the application are
 * closed: Nest runs no hooks then, and often gives its caller no application to close. All steps
 * throw the error of the first one that failed, because Nest may report any of them.
 *
 * @param application the same object for everything in the application, such as Nest's container of
 * modules
 * @param step adds each lock service that it creates, with a promise that settles when that service
 * sends no more events
 */
export async function orCloseAll<T>(
  application: object,
  step: (add: (service: Service, end: Promise<unknown>) => void) => T | Promise<T>,
): Promise<T> {
  const start = starts.get(application) ?? { services: new Set() };
  if (!running.has(application)) starts.set(application, start);
  if (start.failure) throw start.failure.error;
  try {
    return await step((service, end) => {
      start.services.add(service);
      ends.set(application, [...(ends.get(application) ?? []), end]);
    });
  } catch (error) {
    start.failure ??= { error };
    await Promise.all(Array.from(start.services, (service) => service.close()));
    throw start.failure.error;
  }
}

/** Where `forRootAsync()` of any module gets the options from. */
export const OPTION_SOURCES = [
  'useFactory',
  'useClass',
  'useExisting',
  'inject',
  'imports',
  'provideInjectionTokensFrom',
] as const;

/**
 * A module of `forRootAsync()`, whose options are a step of the start.
 *
 * @param token that of the options
 * @param useFactory creates them instead of the module's own factory
 */
export function closeIfOptionsFail(
  { providers = [], ...definition }: DynamicModule,
  token: unknown,
  useFactory?: (...injected: never[]) => unknown,
): DynamicModule {
  const closing = providers.map((provider) => {
    if (!('useFactory' in provider) || provider.provide !== token) return provider;
    const { inject = [], useFactory: own }: FactoryProvider = provider;
    return {
      ...provider,
      inject: [ModulesContainer, ...inject],
      useFactory: (modules: ModulesContainer, ...injected: never[]) =>
        orCloseAll(modules, (): unknown => (useFactory ?? own)(...injected)),
    };
  });
  return { ...definition, providers: closing };
}

/** Resolves when no more events about an application's locks are sent. */
export async function untilSilent(application: object): Promise<void> {
  await Promise.allSettled(ends.get(application) ?? []);
}
