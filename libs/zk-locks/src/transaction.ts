import { checkPath } from './client/node-path.js';
import type { CreateMode, Operation } from './client/zookeeper-client.js';
import { checkOwnPath } from './options/call-options.js';
import { show } from './options/option.js';
import { ZkLockConfigError } from './zk-lock-error.js';

/** What a znode is to hold. A text is written as UTF-8. */
export type NodeData = string | Uint8Array;

export interface VersionOptions {
  /** Only if the znode has this version, which `set` raises by one. @default whatever it has */
  version?: number | undefined;
}

/** Writes that ZooKeeper executes all at one moment, or none of them, in the order of the calls. */
export interface Transaction {
  /**
   * Creates a znode that stays.
   *
   * @param data @default none
   */
  create(path: string, data?: NodeData, options?: { mode?: TransactionCreateMode }): this;
  /** Replaces what a znode holds. */
  set(path: string, data: NodeData, options?: VersionOptions): this;
  /** Deletes a znode without children. */
  delete(path: string, options?: VersionOptions): this;
  /** Demands that a znode exists; writes nothing. */
  check(path: string, options?: VersionOptions): this;
}

export type TransactionCreateMode = Exclude<CreateMode, 'ephemeral' | 'ephemeral-sequential'>;

const CREATE_MODES: readonly unknown[] = ['persistent', 'persistent-sequential', 'container'];

/** Of what a server takes by default (`jute.maxbuffer`, 1 MiB), the rest is for what surrounds it. */
const MOST_BYTES = 1_000_000;
/** Of an operation, besides its path and data. */
const OVERHEAD_BYTES = 64;

/** Where users may write: below the chroot, and not among the locks. */
export class UserPaths {
  /** @param root of the locks, with the chroot */
  constructor(
    private readonly chroot: string,
    private readonly root: string,
  ) {}

  /** @throws {ZkLockConfigError} */
  readable(path: unknown): string {
    const problem = typeof path === 'string' ? checkPath(path) : `got ${show(path)}`;
    if (problem === undefined) return this.chroot === '' ? (path as string) : this.#below(path);
    throw new ZkLockConfigError('path', `must be absolute; ${problem}`, 'Pass "/stock/7".');
  }

  /** @throws {ZkLockConfigError} */
  writable(path: unknown): string {
    const whole = this.#below(checkOwnPath('path', path, '/stock/7'));
    if (whole !== this.root && !whole.startsWith(`${this.root}/`)) return whole;
    throw new ZkLockConfigError(
      'path',
      `must not lie among the locks; got ${show(path)}`,
      'Pass a path outside of the `root` option.',
    );
  }

  /** Paths as users know them. */
  toUser(paths: readonly string[]): readonly string[] {
    return paths.map((path) => path.slice(this.chroot.length) || '/');
  }

  #below(path: unknown): string {
    return path === '/' ? this.chroot : `${this.chroot}${path as string}`;
  }
}

/**
 * The operations that `build` asks for.
 *
 * @throws {ZkLockConfigError}
 */
export function readTransaction(
  build: (tx: Transaction) => unknown,
  paths: UserPaths,
): readonly Operation[] {
  const operations: Operation[] = [];
  const draft = new TransactionDraft(operations, paths);
  const result = build(draft);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new ZkLockConfigError('transact', 'got an async function', 'Build it synchronously.');
  }
  const bytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
  if (bytes <= MOST_BYTES) return operations;
  throw new ZkLockConfigError(
    'transact',
    `takes ${MOST_BYTES} bytes at most; got ${bytes}`,
    'Write less at once, or keep large values elsewhere.',
  );
}

class TransactionDraft implements Transaction {
  constructor(
    private readonly operations: Operation[],
    private readonly paths: UserPaths,
  ) {}

  create(
    path: string,
    data: NodeData = '',
    { mode = 'persistent' }: { mode?: TransactionCreateMode } = {},
  ): this {
    if (!CREATE_MODES.includes(mode)) {
      throw new ZkLockConfigError(
        'mode',
        `got ${show(mode)}`,
        `Pass one of ${CREATE_MODES.map(show).join(', ')}.`,
      );
    }
    return this.#add({
      type: 'create',
      path: this.paths.writable(path),
      data: toBuffer(data),
      mode,
    });
  }

  set(path: string, data: NodeData, options?: VersionOptions): this {
    const version = versionOf(options);
    return this.#add({
      type: 'set',
      path: this.paths.writable(path),
      data: toBuffer(data),
      version,
    });
  }

  delete(path: string, options?: VersionOptions): this {
    const version = versionOf(options);
    return this.#add({ type: 'delete', path: this.paths.writable(path), version });
  }

  check(path: string, options?: VersionOptions): this {
    const version = versionOf(options);
    return this.#add({ type: 'check', path: this.paths.readable(path), version });
  }

  #add(operation: Operation): this {
    this.operations.push(operation);
    return this;
  }
}

/** @throws {ZkLockConfigError} */
export function toBuffer(data: unknown): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  // A copy: whoever asks may change it before it is sent.
  if (data instanceof Uint8Array) return Buffer.from(data);
  throw new ZkLockConfigError(
    'data',
    `got ${show(data)}`,
    'Pass a text, a Buffer or a Uint8Array.',
  );
}

/** @throws {ZkLockConfigError} */
export function versionOf(options: VersionOptions = {}): number | undefined {
  const { version } = options;
  if (version === undefined || (Number.isInteger(version) && version >= 0)) return version;
  throw new ZkLockConfigError('version', `got ${show(version)}`, "Pass the stat's `version`.");
}

function bytesOf(operation: Operation): number {
  const data = 'data' in operation ? operation.data.length : 0;
  return Buffer.byteLength(operation.path) + data + OVERHEAD_BYTES;
}
