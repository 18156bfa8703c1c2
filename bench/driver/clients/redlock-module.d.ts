/** The package's `exports` do not lead to its types. */
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export interface Settings {
    readonly retryCount: number;
    readonly retryDelay: number;
    readonly retryJitter: number;
  }

  export interface RedlockLock {
    release(): Promise<unknown>;
  }

  export class ExecutionError extends Error {}

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings?: Partial<Settings>);
    using<T>(
      resources: string[],
      duration: number,
      routine: (signal: AbortSignal & { error?: Error }) => Promise<T>,
    ): Promise<T>;
    acquire(keys: string[], leaseMs: number, settings?: Partial<Settings>): Promise<RedlockLock>;
    on(event: 'error', listener: (error: Error) => void): this;
    quit(): Promise<void>;
  }
}
