import { inspect, types } from 'node:util';
import { cleanText } from './clean-text.js';
import { membersInJson } from './json.js';

/**
 * The page is published with the package, so that a link to it needs no host and fits the version.
 */
const TROUBLESHOOTING = 'nestjs-zk-lock/docs/troubleshooting.md';

/** Follows a sentence. */
export const linkTo = (code: string): string => ` See ${TROUBLESHOOTING}#${code.toLowerCase()}`;

/** The message as a part of another one, which has a link of its own. */
export function messageWithoutLink({ message, code }: ZkLockError): string {
  return message.replace(linkTo(code), '');
}

/**
 * The base of all errors of this library.
 *
 * - `code` is stable across versions: branch on it.
 * - `message` says what happened, what to do, and which section of the documentation has more. It
 *   can change. It is one line: control characters of a key are written as `\u{a}`.
 * - `cause` is the lower-level error, if there is one.
 * - Properties such as `key` are unchanged.
 */
export abstract class ZkLockError extends Error {
  abstract readonly code: string;

  /**
   * @param code required if the instances of a class have different codes; without a code, the
   * message has no link
   */
  constructor(
    message: string,
    options?: ErrorOptions,
    code = (new.target as unknown as { readonly code?: string }).code,
  ) {
    // Omitted if it is not known: otherwise, it would be printed as `[cause]: undefined`.
    const hasCause = options?.cause !== undefined;
    const line = cleanText(message);
    super(code === undefined ? line : line + linkTo(code), hasCause ? options : undefined);
    this.name = new.target.name;
  }

  toJSON(): object {
    return membersInJson(this, ...Object.keys(this));
  }
}

/** An option or another setting is missing or malformed. Nothing was started. */
export class ZkLockConfigError extends ZkLockError {
  static readonly code = 'ZK_LOCK_CONFIG';
  readonly code = ZkLockConfigError.code;

  /**
   * @param option the option at fault, as the user spells it (`servers`, `sessionTimeoutMs`, …)
   * @param problem follows the option's name: `must be …; got …`
   * @param remedy what to pass instead, as a sentence
   */
  constructor(
    readonly option: string,
    problem: string,
    remedy: string,
    options?: ErrorOptions,
  ) {
    super(`\`${option}\` ${problem}. ${remedy}`, options);
  }
}

/**
 * ZooKeeper did not answer in time. Calls of `ZkClient` have then written nothing, and calls for
 * locks have taken none.
 */
export class ZooKeeperUnavailableError extends ZkLockError {
  static readonly code = 'ZK_UNAVAILABLE';
  readonly code = ZooKeeperUnavailableError.code;
}

/**
 * Lets `console` and Nest's logger print the errors of a class in a few lines, for logs with many of them,
 * or which end with one: no properties, no frames of libraries, and the innermost cause in place of the
 * chain. Programs find all of it in the error.
 */
export function printBriefly({ prototype }: { readonly prototype: ZkLockError }): void {
  Object.defineProperty(prototype, inspect.custom, { value: inspectBriefly });
}

/** Stack frames that say nothing about the caller. */
const OF_A_LIBRARY = /^\s+at .*(?:node:|[\\/]node_modules[\\/])/;

function inspectBriefly(this: ZkLockError): string {
  const lines = (this.stack ?? String(this)).split('\n').filter((line) => !OF_A_LIBRARY.test(line));
  const reason = this.cause === undefined ? '' : `, [cause]: ${innermost(this.cause)}`;
  return `${lines.join('\n')} { code: '${this.code}'${reason} }`;
}

function innermost(cause: unknown): string {
  const seen = new Set<unknown>();
  let reason = cause;
  while (types.isNativeError(reason) && reason.cause !== undefined && !seen.has(reason)) {
    seen.add(reason);
    reason = reason.cause;
  }
  const isError = types.isNativeError(reason) || reason instanceof DOMException;
  return isError ? String(reason) : inspect(reason, { customInspect: false });
}

printBriefly(ZkLockConfigError);
printBriefly(ZooKeeperUnavailableError);

/** The session is closing or closed: it accepts no more calls and grants no more locks. */
export class ZkClosedError extends ZkLockError {
  static readonly code = 'ZK_CLOSED';
  readonly code = ZkClosedError.code;

  constructor(options?: ErrorOptions) {
    super(
      'The ZooKeeper session is closing or closed, so it grants no more locks and accepts no more calls. Make calls before shutdown.',
      options,
    );
  }
}
