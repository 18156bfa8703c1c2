import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { LeaderElection } from 'zk-locks';
import { MAX_LABEL_LENGTH } from 'zk-locks/internal';
import { definitionsIn } from '../guarded/definitions-in.js';
import type { LockService } from '../lock.service.js';
import { ONLY_LEADER_METADATA } from '../zk-lock.constants.js';
import type { OnlyLeaderDefinition } from './only-leader-definition.js';

/**
 * Joins the elections that the `@OnlyLeader()` methods of one application name, so that somebody
 * leads before the first call.
 */
export class ElectionJoiner implements OnApplicationBootstrap {
  constructor(
    private readonly service: LockService,
    /** Whose service this is. */
    private readonly connection: string | undefined,
    private readonly modules: ModulesContainer,
  ) {}

  onApplicationBootstrap(): void {
    for (const definition of definitionsIn<OnlyLeaderDefinition>(
      this.modules,
      ONLY_LEADER_METADATA,
    )) {
      if (definition.options.connection === this.connection) {
        joinElection(this.service, definition);
      }
    }
  }
}

export function joinElection(
  service: LockService,
  { method, key }: OnlyLeaderDefinition,
): LeaderElection {
  const label = method.slice(0, MAX_LABEL_LENGTH);
  return service.election(key, { label, pattern: key.slice(0, MAX_LABEL_LENGTH) });
}
