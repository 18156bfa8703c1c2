import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { ownFile } from '../../own-file.js';
import { ZkLockError } from '../../zk-lock-error.js';

/** The npm package `zookeeper` cannot be used in this process. */
export class NativeClientError extends ZkLockError {
  static readonly code = 'ZK_NATIVE_CLIENT';
  readonly code = NativeClientError.code;

  /** @param problem why, as a predicate */
  constructor(
    readonly problem: string,
    remedy: string,
    options?: ErrorOptions,
  ) {
    super(
      `The npm package \`zookeeper\` ${problem}. ${remedy}, or leave out \`client: 'native'\`: zk-client needs nothing of that.`,
      options,
    );
  }
}

/** `Stat` as the binding builds it; `czxid` is exact below 2^53. */
export interface NativeStat {
  readonly czxid: number;
  readonly ctime: Date;
  readonly ephemeralOwner: string;
  readonly aversion: number;
}

type Done<A extends unknown[] = []> = (rc: number, message: string, ...rest: A) => void;

/** The callback calls of the binding; each returns 0 once queued, else the code at once. */
export interface NativeCalls {
  /** 3 while connected, 1 and 2 on the way there, anything else is a dead connection. */
  readonly state: number;
  readonly client_id: string;
  readonly client_password: string;
  readonly timeout: number;
  a_create(path: string, data: Buffer, flags: number, done: Done<[path: string]>): number;
  a_get(
    path: string,
    watch: boolean,
    done: Done<[stat: NativeStat | null, data: Buffer | null]>,
  ): number;
  a_get_children(path: string, watch: boolean, done: Done<[children: string[] | null]>): number;
  a_set(path: string, data: Buffer, version: number, done: Done<[stat: NativeStat | null]>): number;
  /** There is `a_get_acl` as well: it ends the process when its answer is an error. */
  a_set_acl(
    path: string,
    version: number,
    acl: { perm: number; scheme: string; auth: string }[],
    done: Done,
  ): number;
  a_delete_(path: string, version: number, done: Done): number;
  a_sync(path: string, done: Done<[path: string]>): number;
  add_auth(scheme: string, auth: string, done: Done): number;
  set_servers(servers: string): number;
}

export interface NativeHandle {
  readonly native: NativeCalls;
  init(config: object): unknown;
  close(): void;
  on(event: 'connect' | 'connecting', listener: () => void): this;
  on(event: 'close', listener: (client: unknown, code: number) => void): this;
  on(
    event: 'deleted' | 'changed' | 'child',
    listener: (client: unknown, path: string) => void,
  ): this;
  removeAllListeners(): this;
}

export type NativeHandleClass = new (config: object) => NativeHandle;

/**
 * Loads the npm package `zookeeper`, on first use only: importing this library never fails for want
 * of a compiler.
 *
 * @throws {NativeClientError} off the main thread, where loading it a second time ends the process
 * with a segmentation fault, and where the package is missing or was not compiled
 */
export function loadNativeModule(): NativeHandleClass {
  if (!isMainThread) {
    throw new NativeClientError(
      'works on the main thread only',
      'Take locks there, or run this code in a child process (with Vitest: `pool: "forks"`)',
    );
  }
  const require = createRequire(ownFile);
  try {
    return require('zookeeper') as NativeHandleClass;
  } catch (error) {
    throw new NativeClientError(
      'could not be loaded',
      'It compiles when it is installed: install python3, make and g++, then run `npm install zookeeper`',
      { cause: error },
    );
  }
}
