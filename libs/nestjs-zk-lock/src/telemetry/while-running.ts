import type { FactoryProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { orCloseAll, untilSilent } from '../startup.js';

/**
 * A Nest provider that does something from the start of its application until the last lock service
 * of that application is closed.
 */
class WhileRunning {
  #stop: (() => void) | undefined;

  /**
   * @param application the object by which the lock services are known
   * @param start starts it and returns a function that stops it
   */
  constructor(
    private readonly application: object,
    private readonly start: () => () => void,
  ) {}

  /** @throws whatever `start` throws */
  async onModuleInit(): Promise<void> {
    await orCloseAll(this.application, () => (this.#stop ??= this.start()));
  }

  onApplicationShutdown(): void {
    // Not awaited: Nest closes the services of global modules last.
    void untilSilent(this.application).then(() => this.#stop?.());
  }
}

/** Provides {@link WhileRunning} to an application. */
export const whileRunning = (start: () => () => void): FactoryProvider => ({
  provide: WhileRunning,
  inject: [ModulesContainer],
  useFactory: (application: ModulesContainer) => new WhileRunning(application, start),
});
