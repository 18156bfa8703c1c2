import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getLockServiceToken } from '../inject-lock-service.decorator.js';
import { type Definition, definitionsIn, methodsOfObject } from './decorated-method.js';
import { internalsOf, type LockService } from '../lock.service.js';
import { orCloseAll } from '../startup.js';
import { type Decorator, DECORATORS, LockedSetupError } from './decorator-errors.js';
import { moduleRefOf, noLockService, notBuiltByNest } from './find-lock-service.js';

/** Refuses to start an application whose decorated methods would fail on every call. */
@Injectable()
export class SetupCheck implements OnModuleInit {
  constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {}

  /** @throws {LockedSetupError} */
  async onModuleInit(): Promise<void> {
    await orCloseAll(this.modules, () => {
      for (const decorator of DECORATORS) {
        this.#checkConnections(decorator);
        this.#checkObjects(decorator);
      }
    });
  }

  #checkConnections(decorator: Decorator): void {
    for (const { method, options } of definitionsIn<Definition>(this.modules, decorator)) {
      const connection = this.#findConnection(options.connection);
      if (!connection) throw noLockService(method, options.connection, decorator, this.modules);
      if (options.atMostEveryMs !== undefined && connection.isNative) {
        throw new LockedSetupError(
          method,
          'its option `atMostEveryMs` needs transactions, which the client `native` does not support',
          "Use { client: 'wire' }, the default, in the options of ZkLockModule.",
        );
      }
    }
  }

  #findConnection(name: string | undefined): { readonly isNative: boolean } | undefined {
    const token = getLockServiceToken(name);
    for (const { providers } of this.modules.values()) {
      const found = providers.get(token);
      if (!found) continue;
      const { instance } = found as { instance?: LockService };
      return { isNative: instance !== undefined && internalsOf(instance).isNative };
    }
    return undefined;
  }

  /** Checks objects of `useFactory` and `useValue`, into which Nest injects nothing. */
  #checkObjects(decorator: Decorator): void {
    for (const { providers } of this.modules.values()) {
      for (const wrapper of providers.values()) {
        if (!wrapper.isNotMetatype) continue;
        for (const method of methodsOfObject(wrapper.instance)) {
          const definitions = Reflect.getOwnMetadata(decorator.mark, method) as
            Definition[] | undefined;
          if (!definitions?.[0] || moduleRefOf(wrapper.instance)) continue;
          throw notBuiltByNest(definitions[0].method, decorator);
        }
      }
    }
  }
}
