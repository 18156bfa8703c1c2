import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { internalsOf, type LockService } from '../lock.service.js';
import { hasStarted } from '../startup.js';
import { definitionsIn } from './decorated-method.js';
import { LOCKED, ONLY_LEADER } from './decorator-errors.js';
import type { GuardedDefinition } from './definition.js';
import { joinElection, type OnlyLeaderDefinition } from './only-leader.decorator.js';

/**
 * Prepares the decorated methods of one connection. It joins the elections of `@OnlyLeader()`, so that there
 * is a leader, and reads the last run of each `atMostEveryMs` job, so that gauges also cover jobs that no
 * process calls any longer, or that none has ever called.
 */
export class AtBootstrap implements OnApplicationBootstrap {
  constructor(
    private readonly service: LockService,
    /** The name of the service's connection. */
    private readonly connection: string | undefined,
    private readonly modules: ModulesContainer,
  ) {}

  onApplicationBootstrap(): void {
    hasStarted(this.modules);
    for (const definition of definitionsIn<OnlyLeaderDefinition>(this.modules, ONLY_LEADER)) {
      if (definition.options.connection === this.connection) {
        void leaveToFirstCall(() => joinElection(this.service, definition));
      }
    }
    for (const { job, options } of definitionsIn<GuardedDefinition>(this.modules, LOCKED)) {
      if (job === undefined || options.connection !== this.connection) continue;
      internalsOf(this.service)
        .ownSight(job)
        .expectJob(options.atMostEveryMs ?? 0);
      void leaveToFirstCall(() => this.service.lastRun(job));
    }
  }
}

async function leaveToFirstCall(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {
    // Without an answer, the first call will show the error. A mock may not have the method.
  }
}
