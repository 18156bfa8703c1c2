import { types } from 'node:util';
import {
  describeReturnCode,
  isConnectionError,
  messageOf,
  ReturnCode,
  ZooKeeperError,
} from '../port/client-errors.js';
import { countText } from '../count-text.js';
import type { ZkLockLogger } from '../logger.js';
import { clearTimeout, setTimeout } from '../real-time.js';
import { linkTo } from '../zk-lock-error.js';

/** The maximum number of warnings in one outage, in case the servers' reasons keep changing. */
const MOST_WARNINGS = 5;

/** The maximum number of reasons in one message. */
const MOST_SHOWN = 3;

/** How long a program waits for its first connection before it is told, in milliseconds. */
const FIRST_WITHIN_MS = 2_000;

interface Problem {
  /** Undefined if the failure is not that of one server, such as a name that does not resolve. */
  readonly server: string | undefined;
  /** The same for all servers that fail for the same reason. */
  readonly kind: string;
  /** For people. */
  readonly reason: string;
}

/**
 * The failed attempts to connect, until there is a connection again. The first failure is not
 * logged, because another server may answer. From the second one on, a reason is logged once, and
 * again only after it has changed. A server's reason is that of its latest failure. An outage has one
 * warning: that of the loss, if there was a connection before.
 *
 * If a program has had no connection at all for two seconds, this is logged once as an error. Nest's test
 * logger prints nothing else, so the tests' hooks would time out without a reason.
 */
export class ConnectProblems {
  readonly #present = new Map<string | undefined, Problem>();
  /** The kinds that were logged and still apply. */
  readonly #told = new Set<string>();
  #failures = 0;
  #warnings = 0;
  #isOutage = false;
  /** Why the connection ended; what counts after that is why no other one begins. */
  #loss: string | undefined;
  #latest: unknown;
  #firstWait: NodeJS.Timeout | undefined;

  constructor(
    private readonly logger: ZkLockLogger,
    private readonly servers: string,
  ) {}

  /** The latest failure; undefined while there is a connection. */
  get latest(): unknown {
    return this.#latest;
  }

  /** Why there is no connection, for messages; undefined while that is not known. */
  get reason(): string | undefined {
    const byKind = new Map<string, string[]>();
    for (const { kind, reason } of this.#present.values()) {
      byKind.set(kind, [reason, ...(byKind.get(kind) ?? [])]);
    }
    const reasons = [...byKind.values()].map(inShort);
    if (reasons.length > MOST_SHOWN) reasons.splice(MOST_SHOWN, Infinity, '…');
    return reasons.length === 0 ? this.#loss : reasons.join('; ');
  }

  /** The first attempt begins. */
  begin(): void {
    this.#firstWait = setTimeout(() => {
      const remedy =
        refusalRemedy(this.#latest) ??
        'Start ZooKeeper there (for development: npx zk-embedded), or correct the `servers` option. In a test, use withEmbeddedZooKeeper() of nestjs-zk-lock/testing.';
      this.logger.error(
        `No connection to ZooKeeper at ${this.servers} within ${FIRST_WITHIN_MS / 1_000} s: ${this.reason ?? 'no answer yet'}. ${remedy}${linkTo('ZK_UNAVAILABLE')}`,
      );
    }, FIRST_WITHIN_MS);
  }

  failed(error: unknown): void {
    // The C client may lose an answer that comes with the end of the connection.
    if (this.#latest !== undefined && saysNothing(error)) return;
    this.#latest = error;
    const problem = problemOf(error, this.servers);
    this.#present.set(problem.server, problem);
    const kinds = new Set([...this.#present.values()].map(({ kind }) => kind));
    for (const kind of this.#told) if (!kinds.has(kind)) this.#told.delete(kind);
    const isNews = ++this.#failures > 1 && !this.#told.has(problem.kind);
    if (!isNews || this.#warnings === MOST_WARNINGS) return;
    this.#told.add(problem.kind);
    this.#warnings++;
    this.logger[this.#isOutage ? 'log' : 'warn'](
      `Cannot connect to ZooKeeper at ${this.servers}: ${problem.reason}. Trying again; this is logged again only when the reason changes.`,
    );
  }

  /** @param cause undefined if it is not known */
  lost(server: string, cause: unknown): void {
    this.#isOutage = true;
    const text = cause === undefined ? undefined : textOf(cause);
    this.#loss = reasonAt(server, text ?? 'connection lost', this.servers);
    const reason = text === undefined ? '' : ` (${text})`;
    this.logger.warn(`Lost the connection to ZooKeeper at ${server}${reason}; reconnecting.`);
  }

  connected(): void {
    this.end();
    this.#isOutage = false;
    this.#loss = undefined;
    this.#present.clear();
    this.#told.clear();
    this.#failures = 0;
    this.#warnings = 0;
    this.#latest = undefined;
  }

  /** There are no more attempts. */
  end(): void {
    clearTimeout(this.#firstWait);
  }
}

/** Whether a connection was lost behind the handshake, for an unknown reason. */
function saysNothing(error: unknown): boolean {
  return isConnectionError(error) && error.request !== 'connect' && error.cause === undefined;
}

/** What to do if the servers refuse the credentials; undefined for all other failures. */
export function refusalRemedy(failure: unknown): string | undefined {
  const isRefused = failure instanceof ZooKeeperError && failure.outcome === 'auth';
  return isRefused
    ? 'Check the `credentials` option, and the users that the servers know.'
    : undefined;
}

/** @param servers what the message around the reason names */
function problemOf(error: unknown, servers: string): Problem {
  if (!(error instanceof ZooKeeperError)) {
    const reason = textOf(error);
    return { server: undefined, kind: reason, reason };
  }
  if (error.request !== 'connect') {
    // The path may be a different one in each attempt.
    const kind = `${error.request} ${error.returnCode}`;
    return { server: undefined, kind, reason: textOf(error) };
  }
  const { path: server, returnCode, cause } = error;
  if (returnCode !== ReturnCode.connectionLoss || !types.isNativeError(cause)) {
    const { text } = describeReturnCode(returnCode);
    return { server, kind: text, reason: reasonAt(server, text, servers) };
  }
  const message = messageOf(cause);
  const { code = message.replace(server, '') } = cause as NodeJS.ErrnoException;
  return {
    server,
    kind: code,
    reason: reasonAt(server, message, servers),
  };
}

/** One of the reasons of a kind, and how many others there are. */
function inShort([reason = '', ...others]: readonly string[]): string {
  if (others.length === 0) return reason;
  return `${reason} (and ${countText(others.length, 'more address', 'more addresses')})`;
}

/** Names the server, unless the reason or the message around it does so. */
function reasonAt(server: string, reason: string, servers: string): string {
  const [hosts] = servers.split('/', 1);
  return reason.includes(server) || server === hosts ? reason : `${server}: ${reason}`;
}

/** Without its final full stop, if it has one. */
function textOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
