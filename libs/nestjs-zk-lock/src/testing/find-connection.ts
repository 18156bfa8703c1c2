import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { readOptions } from 'zk-locks/framework';
import { copiesProblem } from '../copies.js';
import { getLockServiceToken } from '../inject-lock-service.decorator.js';
import type { LockService } from '../lock.service.js';
import { RESOLVED_OPTIONS } from '../zk-lock.options.js';
import { EmbeddedConnection } from './embedded-connection.js';
import { LockTestingError } from './lock-testing-error.js';

/**
 * Selects a connection if there are several.
 *
 * @publicApi
 */
export interface InConnection {
  /**
   * The `name` of its `ZkLockModule`.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

/** @throws {LockTestingError} when the connection has no embedded server */
export function findConnection(
  context: INestApplicationContext,
  options: InConnection | null | undefined,
): EmbeddedConnection {
  const { connection: name } = readOptions(options);
  const token = getLockServiceToken(name);
  for (const { providers } of modulesOf(context).values()) {
    const options: unknown = providers.get(RESOLVED_OPTIONS)?.instance;
    if (providers.has(token) && options instanceof EmbeddedConnection) return options;
  }
  const missing = name === undefined ? 'no connection' : `no connection "${name}"`;
  throw new LockTestingError(
    `This module has ${missing} on an embedded server. ${copiesProblem() ?? 'Create it with createLockTestingModule(), or with withEmbeddedZooKeeper() if it imports ZkLockModule.'}`,
  );
}

function modulesOf(context: INestApplicationContext): ModulesContainer {
  let cause: unknown;
  try {
    const modules: unknown = context.get(ModulesContainer, { strict: false });
    if (modules instanceof ModulesContainer) return modules;
  } catch (error) {
    cause = error;
  }
  throw new LockTestingError(
    'The first argument is not a module. Pass the testing module, or the application that it created.',
    { cause },
  );
}

/**
 * @throws {LockTestingError} as {@link findConnection}, and when the test has replaced the service
 */
export function serviceOf({ service }: EmbeddedConnection): LockService {
  if (service) return service;
  throw new LockTestingError(
    'The LockService of this module is overridden, so it has no locks in ZooKeeper. Remove the override.',
  );
}
