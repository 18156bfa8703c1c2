import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { LockService } from '../lock.service.js';
import { definitionsIn } from './decorated-method.js';
import { internalsOf } from '../service-internals.js';
import { LOCKED } from './decorator-errors.js';
import type { GuardedDefinition } from './definition.js';

/**
 * Tells of each `atMostEveryMs` job when the application starts, and reads its last run, so that its gauges tell
 * of a job that no process calls any more, or that none has ever called.
 */
export class JobReader implements OnApplicationBootstrap {
  constructor(
    private readonly service: LockService,
    /** Whose service this is. */
    private readonly connection: string | undefined,
    private readonly modules: ModulesContainer,
  ) {}

  onApplicationBootstrap(): void {
    for (const { job, options } of definitionsIn<GuardedDefinition>(this.modules, LOCKED)) {
      if (job === undefined || options.connection !== this.connection) continue;
      internalsOf(this.service)
        .ownSight(job)
        .expectJob(options.atMostEveryMs ?? 0);
      void this.#read(job);
    }
  }

  async #read(job: string): Promise<void> {
    try {
      await this.service.lastRun(job);
    } catch {
      // Without an answer, the first call tells. A mock may not have the method.
    }
  }
}
