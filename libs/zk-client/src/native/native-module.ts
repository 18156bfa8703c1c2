// Not a named import: webpack would resolve the argument of `createRequire` at build time.
import nodeModule from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { ownFile } from '../own-file.js';
import { ZkLockConfigError } from '../zk-lock-error.js';

/** `Stat` as the binding builds it; `czxid` is exact below 2^53. */
export interface NativeStat {
  readonly czxid: number;
  readonly mzxid: number;
  readonly pzxid: number;
  readonly ctime: Date;
  readonly mtime: Date;
  readonly ephemeralOwner: string;
  readonly version: number;
  readonly aversion: number;
  readonly cversion: number;
  readonly dataLength: number;
  readonly numChildren: number;
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
  a_exists(path: string, watch: boolean, done: Done<[stat: NativeStat | null]>): number;
  a_get(
    path: string,
    watch: boolean,
    done: Done<[stat: NativeStat | null, data: Buffer | null]>,
  ): number;
  a_get_children(path: string, watch: boolean, done: Done<[children: string[] | null]>): number;
  a_set(path: string, data: Buffer, version: number, done: Done<[stat: NativeStat | null]>): number;
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
 * Loads the npm package `zookeeper` on first use, so that an application without it can import this
 * library.
 *
 * @throws {ZkLockConfigError} in worker threads, where loading it a second time crashes the process
 * with a segmentation fault; and when the package is missing or was not compiled
 */
export function loadNativeModule(): NativeHandleClass {
  if (!isMainThread) {
    throw new ZkLockConfigError(
      'client',
      "is 'native', which works on the main thread only",
      "Use `client: 'wire'`, or run this code in a child process (with Vitest: `pool: 'forks'`).",
    );
  }
  const require = nodeModule.createRequire(ownFile);
  try {
    return require('zookeeper') as NativeHandleClass;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new ZkLockConfigError(
      'client',
      `is 'native', but the npm package \`zookeeper\` cannot be loaded (${reason})`,
      "Run `npm install zookeeper` (its install script needs python3, make and g++, and npm must be allowed to run it), or use `client: 'wire'`, which needs none of these.",
      { cause: error },
    );
  }
}
