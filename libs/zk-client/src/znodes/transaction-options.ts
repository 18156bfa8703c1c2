import { types } from 'node:util';
import { isWithin } from '../port/node-path.js';
import type { Operation } from '../port/zookeeper-client.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { ZnodeData, Transaction, TransactionCreateOptions, VersionOptions } from './znode.js';
import { checkValue, isObject, oneOf, type Option, readChecked } from '../option.js';
import { checkOption, OPTIONS, optionsOf } from '../options/table.js';
import { MOST_BYTES } from '../session/transaction-bytes.js';

const CREATE = { mode: oneOf('persistent', 'persistent-sequential', 'container') };
const WRITE = optionsOf('version');

/**
 * The check of a path at which users store something.
 *
 * @param whole the path with the chroot
 * @param root as of {@link UserPaths}
 */
export const outsideOfLocks = (whole: string, root: string | undefined): Option => ({
  expected: 'outside of the option `root` and of `<root>-runs`, where locks and runs are stored',
  accepts: () => root === undefined || !(isWithin(whole, root) || isWithin(whole, `${root}-runs`)),
  remedy: 'Pass another path.',
});

/** Where users may write: below the chroot, but not among the locks. */
export class UserPaths {
  /** @param root the root of the locks, with the chroot; undefined without locks */
  constructor(
    private readonly chroot: string,
    private readonly root?: string,
  ) {}

  /** @throws {ZkLockConfigError} */
  writable(path: string): string {
    checkOption('path', path);
    const whole = this.chroot + path;
    checkValue('path', path, outsideOfLocks(whole, this.root));
    return whole;
  }

  /**
   * Any path, including the root of the tree.
   *
   * @throws {ZkLockConfigError}
   */
  readable(path: string): string {
    checkValue('path', path, OPTIONS.anyPath);
    return path === '/' ? this.chroot || path : this.chroot + path;
  }

  /** Paths as users know them, without the chroot. */
  toUser(paths: readonly string[]): readonly string[] {
    return paths.map((path) => this.toUserPath(path));
  }

  toUserPath(path: string): string {
    return path.slice(this.chroot.length) || '/';
  }
}

/**
 * The operations that `build` adds.
 *
 * @throws {ZkLockConfigError}
 */
export function readTransaction(
  build: (tx: Transaction) => unknown,
  paths: UserPaths,
): readonly Operation[] {
  checkValue('build', build, {
    ...SYNCHRONOUS,
    accepts: (value) =>
      typeof value === 'function' &&
      !types.isAsyncFunction(value) &&
      !types.isGeneratorFunction(value),
  });
  const operations: Operation[] = [];
  const draft = new TransactionDraft(operations, paths);
  try {
    refuseThenable(build(draft));
  } finally {
    draft.close();
  }
  return operations;
}

const SYNCHRONOUS = {
  expected: 'a synchronous function of the transaction',
  remedy: 'Compute what it needs first.',
};

/** Writes that are added asynchronously would come too late, and would be lost. */
function refuseThenable(built: unknown): void {
  if (!isThenable(built)) return;
  // It rejects as soon as it adds a write; the error here already says so.
  Promise.resolve(built).catch(() => undefined);
  checkValue('build', built, {
    ...SYNCHRONOUS,
    accepts: () => false,
    finding: () => 'it returned a promise, so nothing was written',
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

  create(path: string, data: ZnodeData = '', options?: TransactionCreateOptions): this {
    const { mode = 'persistent' } = readChecked<TransactionCreateOptions>(options, CREATE);
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

  /** Called when its operations are about to be sent. */
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
  // A copy, because the caller may change the data before they are sent.
  const copy = Buffer.from(data as string);
  checkValue('data', copy.length, {
    expected: `${MOST_BYTES} bytes at most`,
    accepts: () => copy.length <= MOST_BYTES,
    remedy: 'Store large values elsewhere, and their location in ZooKeeper.',
  });
  return copy;
}

function versionOf(options: VersionOptions | undefined): number | undefined {
  return readChecked<VersionOptions>(options, WRITE).version;
}
