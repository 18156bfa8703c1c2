import { cleanText } from './clean-text.js';

/** It is published with the package, so that a link to it needs no host and fits the version. */
const TROUBLESHOOTING = 'nestjs-zk-lock/docs/troubleshooting.md';

const linkTo = (code: string): string => ` See ${TROUBLESHOOTING}#${code.toLowerCase()}`;

/** The message as a part of another one, which has a link of its own. */
export function messageWithoutLink({ message, code }: ZkLockError): string {
  return message.replace(linkTo(code), '');
}

/**
 * Base of every error this library throws on purpose.
 *
 * `code` is stable across versions and safe to branch on; `message` says what happened, what to do
 * about it and which section of the documentation says more, and may change; `cause` is the
 * lower-level error, where there is one. The message is one line: line breaks, escapes and marks of
 * direction, which a key may have, are written as `\u{a}`. Properties such as `key` stay as they were given.
 */
export abstract class ZkLockError extends Error {
  abstract readonly code: string;

  /** @param code where it is not the same for all instances of a class; none is linked to nothing */
  constructor(
    message: string,
    options?: ErrorOptions,
    code = (new.target as unknown as { readonly code?: string }).code,
  ) {
    // One that is not known is left out: it would be printed as `[cause]: undefined`.
    const hasCause = options?.cause !== undefined;
    const line = cleanText(message);
    super(code === undefined ? line : line + linkTo(code), hasCause ? options : undefined);
    this.name = new.target.name;
  }
}

/** An option, connection string or other setting is missing or malformed. Nothing was started. */
export class ZkLockConfigError extends ZkLockError {
  static readonly code = 'ZK_LOCK_CONFIG';
  readonly code = ZkLockConfigError.code;

  /**
   * @param option the option at fault, as the user spells it (`servers`, `sessionTimeoutMs`, …)
   * @param problem goes on after the option's name: `must be …; got …`
   * @param remedy what to write instead, as a sentence
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
