import type { DynamicModule, FactoryProvider, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ZkLockConfigError } from 'zk-locks';
import { MAX_LABEL_LENGTH } from 'zk-locks/framework';
import { getLockServiceToken, missingLockService } from '../inject-lock-service.decorator.js';
import { internalsOf, type LockService } from '../lock.service.js';
import { AgreedPermits } from '../agreed-permits.js';
import { orCloseAll } from '../startup.js';
import { getElectionToken, getSemaphoreToken } from './feature-tokens.js';
import { readFeatureOptions, type ZkLockFeatureOptions } from './feature.options.js';

type Feature = ReturnType<typeof readFeatureOptions>;

/** The token of the options of one `forFeature()` in its module. */
const FEATURE = Symbol('nestjs-zk-lock:feature');

const CONNECTION = Symbol('nestjs-zk-lock:feature-connection');

/**
 * The parts of the service that are used here. Nest would also call the service's shutdown hooks
 * for this module.
 */
interface Connection {
  readonly locks: LockService;
}

/** @throws {ZkLockConfigError} {@link LockKeyError} */
export function featureModule(module: Type, options: ZkLockFeatureOptions): DynamicModule {
  const feature = readFeatureOptions(options);
  const { connection, semaphores, elections } = feature;
  const provided: FactoryProvider[] = [
    ...semaphores.map(({ key, ...options }) => ({
      provide: getSemaphoreToken(key, connection),
      inject: [CONNECTION],
      useFactory: ({ locks }: Connection) => locks.semaphore(key, options),
    })),
    ...elections.map((key) => ({
      provide: getElectionToken(key, connection),
      inject: [CONNECTION],
      useFactory: ({ locks }: Connection) =>
        locks.election(key, { pattern: key.slice(0, MAX_LABEL_LENGTH) }),
    })),
  ];
  return {
    module,
    providers: [
      { provide: FEATURE, useValue: feature },
      {
        provide: CONNECTION,
        inject: [
          FEATURE,
          ModulesContainer,
          { token: getLockServiceToken(connection), optional: true },
        ],
        useFactory: (feature: Feature, modules: ModulesContainer, locks?: LockService) =>
          orCloseAll(modules, () => connect(feature, modules, locks)),
      },
      ...provided,
    ],
    exports: provided.map(({ provide }) => provide),
  };
}

function connect(
  { connection, semaphores }: Feature,
  modules: ModulesContainer,
  locks?: LockService,
): Connection {
  if (locks) {
    // A module that LazyModuleLoader loads was not among those that agreed at bootstrap.
    const { agreedPermits } = internalsOf(locks);
    for (const { key, permits } of semaphores) agreedPermits.agree(key, permits);
    return { locks };
  }
  const { service, remedy } = missingLockService(connection, modules);
  const token = getLockServiceToken(connection);
  if ([...modules.values()].some(({ providers }) => providers.has(token))) {
    const problem = `must not be false, because ZkLockModule.forFeature() then cannot inject the ${service}`;
    throw new ZkLockConfigError('isGlobal', problem, 'Omit it.');
  }
  const problem = `of ZkLockModule.forFeature() must name an existing connection; the application has no ${service}`;
  throw new ZkLockConfigError('connection', problem, remedy);
}

/**
 * The permits that all `forFeature()` of an application declare for one connection.
 *
 * @throws {ZkLockConfigError} when two of them differ
 */
export function agreedPermitsIn(
  modules: ModulesContainer,
  connection: string | undefined,
): AgreedPermits {
  const agreed = new AgreedPermits();
  for (const { providers } of modules.values()) {
    const feature = providers.get(FEATURE)?.instance as Feature | undefined;
    if (feature?.connection !== connection) continue;
    for (const { key, permits } of feature?.semaphores ?? []) agreed.agree(key, permits);
  }
  return agreed;
}
