import { types } from 'node:util';
import { isWithin } from '../port/node-path.js';
import type { Operation } from '../port/zookeeper-client.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type {
  ZnodeData,
  Transaction,
  TransactionCreateOptions,
  VersionOptions,
} from './transaction.js';
import { checkValue, isObject, oneOf } from '../options/option.js';
import { checkOption, OPTIONS } from '../options/table.js';

/** Of what a server takes by default (`jute.maxbuffer`, 1 MiB), the rest is for what surrounds it. */
const MOST_BYTES = 1_000_000;
/** Of an operation, besides its path and data. */
const OVERHEAD_BYTES = 64;

const createMode = oneOf('persistent', 'persistent-sequential', 'container');

/** Where users may write: below the chroot, and not among the locks. */
export class UserPaths {
  /** @param root of the locks, with the chroot; undefined without locks */
  constructor(
    private readonly chroot: string,
    private readonly root?: string,
  ) {}

  /** @throws {ZkLockConfigError} */
  writable(path: string): string {
    checkOption('path', path);
    const whole = this.chroot + path;
    const { root } = this;
    const areLocks =
      root !== undefined && (isWithin(whole, root) || isWithin(whole, `${root}-runs`));
    checkValue('path', path, {
      expected: 'outside of the `root` option, below which the locks lie',
      accepts: () => !areLocks,
      remedy: 'Pass another path.',
    });
    return whole;
  }

  /**
   * Any path, that of the whole tree included.
   *
   * @throws {ZkLockConfigError}
   */
  readable(path: string): string {
    checkValue('path', path, OPTIONS.anyPath);
    return path === '/' ? this.chroot || path : this.chroot + path;
  }

  /** Paths as users know them. */
  toUser(paths: readonly string[]): readonly string[] {
    return paths.map((path) => this.toUserPath(path));
  }

  toUserPath(path: string): string {
    return path.slice(this.chroot.length) || '/';
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
  checkValue('build', build, {
    ...SYNCHRONOUS,
    accepts: (value) => typeof value === 'function' && !types.isAsyncFunction(value),
  });
  const operations: Operation[] = [];
  const draft = new TransactionDraft(operations, paths);
  try {
    refuseThenable(build(draft));
  } finally {
    draft.close();
  }
  const bytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
  checkValue('build', bytes, {
    expected: `a transaction of ${MOST_BYTES} bytes at most`,
    accepts: () => bytes <= MOST_BYTES,
    remedy: 'Write less at once, or keep large values elsewhere.',
  });
  return operations;
}

const SYNCHRONOUS = {
  expected: 'a synchronous function of the transaction',
  remedy: 'Compute what it needs first.',
};

/** What is built asynchronously would come too late, and be written by nothing. */
function refuseThenable(built: unknown): void {
  if (!isThenable(built)) return;
  // It ends with an error as soon as it adds a write, which is told here.
  Promise.resolve(built).catch(() => undefined);
  checkValue('build', built, {
    ...SYNCHRONOUS,
    accepts: () => false,
    finding: () => 'it returned a promise, and nothing was written',
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}

class TransactionDraft implements Transaction {
  #isClosed = false;

  constructor(
    private readonly operations: Operation[],
    private readonly paths: UserPaths,
  ) {}

  create(path: string, data: ZnodeData = '', options: TransactionCreateOptions = {}): this {
    const { mode = 'persistent' } = options;
    checkValue('mode', mode, createMode);
    return this.#add({ type: 'create', path, data: toBuffer(data), mode });
  }

  set(path: string, data: ZnodeData, options?: VersionOptions): this {
    return this.#add({ type: 'set', path, data: toBuffer(data), version: versionOf(options) });
  }

  delete(path: string, options?: VersionOptions): this {
    return this.#add({ type: 'delete', path, version: versionOf(options) });
  }

  check(path: string, options?: VersionOptions): this {
    return this.#add({ type: 'check', path, version: versionOf(options) });
  }

  /** Its operations are about to be sent. */
  close(): void {
    this.#isClosed = true;
  }

  #add(operation: Operation): this {
    if (this.#isClosed) {
      const problem = 'must be used before `build` returns; the transaction is closed';
      throw new ZkLockConfigError('tx', problem, 'Compute what it needs first.');
    }
    this.operations.push({ ...operation, path: this.paths.writable(operation.path) });
    return this;
  }
}

/** @throws {ZkLockConfigError} */
export function toBuffer(data: ZnodeData): Buffer {
  checkOption('data', data);
  // A copy: the caller may change it before it is sent.
  const copy = Buffer.from(data as string);
  checkValue('data', copy.length, {
    expected: `${MOST_BYTES} bytes at most`,
    accepts: () => copy.length <= MOST_BYTES,
    remedy: 'Keep large values elsewhere, and their place in ZooKeeper.',
  });
  return copy;
}

function versionOf({ version }: VersionOptions = {}): number | undefined {
  if (version !== undefined) checkOption('version', version);
  return version;
}

function bytesOf(operation: Operation): number {
  const data = 'data' in operation ? operation.data.length : 0;
  return Buffer.byteLength(operation.path) + data + OVERHEAD_BYTES;
}
