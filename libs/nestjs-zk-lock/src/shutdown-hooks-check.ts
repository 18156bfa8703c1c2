import { isMainThread } from 'node:worker_threads';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { LockService } from './lock.service.js';

/**
 * Long enough for programs that enable the hooks last, after connecting to brokers and `listen()`.
 */
const TIME_TO_ENABLE_MS = 30_000;

/** The signals that the README enables, and that process managers send. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The module that `Test.createTestingModule()` creates around the modules of a test. */
const TESTING_MODULE = 'RootTestModule';

/** Ensures one warning for each application, however many connections it has. */
const checked = new WeakSet<ModulesContainer>();

/** Warns if a signal would end the process without releasing its locks. */
@Injectable()
export class ShutdownHooksCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;

  constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {}

  onApplicationBootstrap(): void {
    // Only the main thread receives signals.
    if (!isMainThread || checked.has(this.modules) || isTest(this.modules)) return;
    checked.add(this.modules);
    this.#timer = setTimeout(warnWithoutListeners, TIME_TO_ENABLE_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.#timer);
  }
}

function isTest(modules: ModulesContainer): boolean {
  return [...modules.values()].some(({ name }) => name === TESTING_MODULE);
}

function warnWithoutListeners(): void {
  if (SIGNALS.some((signal) => process.listenerCount(signal) > 0)) return;
  Logger.warn(
    `Nothing in this process listens for ${SIGNALS.join(' or ')}. Such a signal ends it without app.close(), and its locks remain held for \`sessionTimeoutMs\`. Call app.enableShutdownHooks(['SIGTERM', 'SIGINT']) in main.ts.`,
    LockService.name,
  );
}
