import type { ModulesContainer } from '@nestjs/core';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EmbeddedConnection } from './embedded-connection.js';
import { LockTestingError } from './lock-testing-error.js';
import type { LockTestingOptions } from './lock-testing.options.js';

/** The connections of one testing module until it is compiled. */
export class Embedding {
  readonly #opening: Promise<EmbeddedConnection>[] = [];
  #isAbandoned = false;

  constructor(private readonly options: LockTestingOptions) {}

  get isUsed(): boolean {
    return this.#opening.length > 0;
  }

  open(modules: ModulesContainer, own: unknown): Promise<EmbeddedConnection> {
    // An application's own options may still be pending when something else has failed.
    if (this.#isAbandoned) return Promise.reject(new LockTestingError('compile() has failed.'));
    const opening = EmbeddedConnection.open(modules, own, this.options);
    this.#opening.push(opening);
    return opening;
  }

  async connected(): Promise<void> {
    const connections = await Promise.all(this.#opening);
    await Promise.all(connections.map((connection) => connection.connected()));
  }

  /** Closes what was opened, and what Nest continues to create after a provider has failed. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    const opened = await Promise.allSettled(this.#opening);
    // From here on, Nest creates services from the existing options, in promise jobs only.
    await nextTurn();
    await Promise.all(
      opened.map(async (result) => {
        if (result.status === 'fulfilled') await result.value.onApplicationShutdown();
      }),
    );
  }
}
