import { cleanText } from './clean-text.js';
import { callAll } from './listeners.js';
import { checkValue, methods } from './option.js';

/** Receives the library's few operational log lines. Nest's `Logger` fits. */
export interface ZkLockLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const LOGGER = methods(['debug', 'log', 'warn', 'error'], 'Pass `console`, or omit it.');

/**
 * Makes each message one line, whatever is in keys and names of nodes. An error thrown by the
 * user's logger becomes an uncaught exception, and does not stop the library's work.
 *
 * @throws {ZkLockConfigError} naming `logger`
 */
export function guardLogger(logger: ZkLockLogger): ZkLockLogger {
  checkValue('logger', logger, LOGGER);
  const guard = (level: keyof ZkLockLogger) => (message: string) =>
    callAll([() => logger[level](cleanText(message))]);
  return {
    debug: guard('debug'),
    log: guard('log'),
    warn: guard('warn'),
    error: guard('error'),
  };
}

const nothing = (): void => undefined;

export const silentLogger: ZkLockLogger = {
  debug: nothing,
  log: nothing,
  warn: nothing,
  error: nothing,
};
