/** Where the library writes its few operational lines; Nest's `Logger` fits. */
export interface ZkLockLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const nothing = (): void => undefined;

export const silentLogger: ZkLockLogger = {
  debug: nothing,
  log: nothing,
  warn: nothing,
  error: nothing,
};
