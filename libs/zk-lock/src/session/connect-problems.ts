import { types } from 'node:util';
import type { ZkLockLogger } from '../logger.js';

/** Of an outage; a server whose errors are all different would fill the log. */
const MOST_TOLD = 5;

/**
 * Attempts to connect that fail, one after the other. A single one is no news, for another server
 * may answer; from the second on each problem is told once, until there is a connection again.
 */
export class ConnectProblems {
  readonly #told = new Set<string>();
  #failures = 0;

  constructor(
    private readonly logger: ZkLockLogger,
    private readonly servers: string,
  ) {}

  failed(error: unknown): void {
    const problem = `${reasonOf(error)}: ${String(error)}`;
    const message = `Cannot connect to ZooKeeper at ${this.servers}, and tries again${problem}`;
    const isKnown = this.#told.has(problem) || this.#told.size === MOST_TOLD;
    if (++this.#failures === 1 || isKnown) {
      this.logger.debug(message);
    } else {
      this.#told.add(problem);
      this.logger.warn(message);
    }
  }

  connected(): void {
    this.#failures = 0;
    this.#told.clear();
  }
}

/** What the system said (`connect ECONNREFUSED …`, a certificate that is refused), where it did. */
function reasonOf(error: unknown): string {
  const reason = types.isNativeError(error) ? error.cause : undefined;
  return types.isNativeError(reason) ? ` (${reason.message})` : '';
}
