import type { OnApplicationShutdown } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { EmbeddedZooKeeper } from 'zk-embedded';
import { type AcquireOptions, Locks, type LocksOptions, ZkClosedError } from 'zk-locks';
import { LockService } from '../lock.service.js';
import { RESOLVED_OPTIONS, type ResolvedModuleOptions } from '../zk-lock.options.js';
import { loadZkEmbedded } from './load-zk-embedded.js';
import { type LockTestingOptions, SERVER_OPTIONS, optionsOn } from './lock-testing.options.js';
import type { Rival } from './rival.js';

/**
 * One `ZkLockModule` on an embedded server of its own. It replaces that module's options, so that
 * it is closed with the module.
 */
export class EmbeddedConnection implements ResolvedModuleOptions, OnApplicationShutdown {
  readonly manager: LocksOptions;
  readonly lazy: boolean;
  readonly shutdownGraceMs: number;
  readonly mapErrors: boolean;
  readonly #rivals = new Set<Locks>();

  private constructor(
    readonly zooKeeper: EmbeddedZooKeeper,
    private readonly modules: ModulesContainer,
    options: ResolvedModuleOptions,
  ) {
    this.manager = options.manager;
    this.lazy = options.lazy;
    this.shutdownGraceMs = options.shutdownGraceMs;
    this.mapErrors = options.mapErrors;
  }

  /**
   * @throws {LockTestingError} when `zk-embedded` is not installed
   * @throws {ZkLockConfigError} naming the option that is unknown or malformed
   */
  static async open(
    modules: ModulesContainer,
    own: unknown,
    wanted: LockTestingOptions,
  ): Promise<EmbeddedConnection> {
    const { EmbeddedZooKeeper } = await loadZkEmbedded();
    const zooKeeper = await EmbeddedZooKeeper.start(SERVER_OPTIONS);
    try {
      const options = optionsOn(zooKeeper.connectString, own, wanted);
      return new EmbeddedConnection(zooKeeper, modules, options);
    } catch (error) {
      await zooKeeper.stop();
      throw error;
    }
  }

  /**
   * The service of the module; undefined before Nest has created it, and when a test replaces it.
   */
  get service(): LockService | undefined {
    const own = [...this.modules.values()].find(
      ({ providers }) => providers.get(RESOLVED_OPTIONS)?.instance === this,
    );
    return [...(own?.providers.values() ?? [])]
      .map(({ instance }): unknown => instance)
      .find((instance) => instance instanceof LockService);
  }

  /**
   * Resolves once the service has a session, or has been closed.
   *
   * @throws {ZkLockConfigError} when its options do not allow a session
   */
  async connected(): Promise<void> {
    try {
      await this.service?.client.exists('/', { timeoutMs: Infinity });
    } catch (error) {
      if (!(error instanceof ZkClosedError)) throw error;
    }
  }

  /** @throws as `LockService.acquire()` */
  async holdElsewhere(key: string, options: AcquireOptions): Promise<Rival> {
    const locks = new Locks(this.manager);
    this.#rivals.add(locks);
    try {
      await locks.start();
      const lock = await locks.acquire(key, options);
      const leave = async (): Promise<void> => {
        await lock.release();
        await locks.close();
        this.#rivals.delete(locks);
      };
      return { lock, leave, [Symbol.asyncDispose]: leave };
    } catch (error) {
      await locks.close();
      this.#rivals.delete(locks);
      throw error;
    }
  }

  /**
   * Not every version of Nest orders the hooks within a module, so the service is closed here
   * before its server.
   */
  async onApplicationShutdown(): Promise<void> {
    const rivals = [...this.#rivals].map((locks) => locks.close());
    await Promise.all([this.service?.onApplicationShutdown(), ...rivals]);
    await this.zooKeeper.stop();
  }
}
