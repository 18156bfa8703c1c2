import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { LeaderElection } from '../../locks/election/leader-election.js';
import { MAX_LABEL_LENGTH } from '../../locks/queue/holder-data.js';
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
    for (const { providers, controllers } of this.modules.values()) {
      for (const { metatype } of [...providers.values(), ...controllers.values()]) {
        for (const definition of definitionsOf(metatype)) {
          if (definition.options.connection === this.connection) {
            joinElection(this.service, definition);
          }
        }
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

/** Those of a class and of the classes it extends, whose methods it may call by `super`. */
function* definitionsOf(type: unknown): Iterable<OnlyLeaderDefinition> {
  let prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
  for (; isObject(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== 'function') continue;
      yield* (Reflect.getOwnMetadata(ONLY_LEADER_METADATA, value as object) ??
        []) as OnlyLeaderDefinition[];
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
