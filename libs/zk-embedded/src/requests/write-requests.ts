import {
  CreateMode,
  ErrorCode,
  type Id,
  type OpCode,
  Perms,
  type ReplyBody,
  type RequestBody,
} from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import type { DataTree } from '../tree/data-tree.js';
import { checkDeletable, checkPath, parentOf } from '../tree/node-path.js';
import { MAX_TTL_MS, type NodeOwner, UNOWNED } from '../tree/node-owner.js';
import { formatSequence } from '../tree/sequence.js';
import type { Transaction } from '../tree/transaction.js';
import { statOf, type Znode } from '../tree/znode.js';
import { checkAccess, resolveAcl } from './access-control.js';
import type { RequestContext } from './request-context.js';

type Op = typeof OpCode;
type CreateBody = RequestBody<Op['create']>;

const SEQUENTIAL: ReadonlySet<number> = new Set([
  CreateMode.persistentSequential,
  CreateMode.ephemeralSequential,
  CreateMode.persistentSequentialWithTTL,
]);
const WITH_TTL: ReadonlySet<number> = new Set([
  CreateMode.persistentWithTTL,
  CreateMode.persistentSequentialWithTTL,
]);
const EPHEMERAL: ReadonlySet<number> = new Set([
  CreateMode.ephemeral,
  CreateMode.ephemeralSequential,
]);
const MODES: ReadonlySet<number> = new Set(Object.values(CreateMode));

export function isWithTTL(flags: number): boolean {
  return WITH_TTL.has(flags);
}

export function create(
  context: RequestContext,
  transaction: Transaction,
  request: CreateBody,
): ReplyBody<Op['create2']> {
  if (isWithTTL(request.flags)) throw new RequestRefused(ErrorCode.badArguments);
  const { session } = context.caller;
  const owner: NodeOwner = EPHEMERAL.has(request.flags)
    ? { kind: 'session', sessionId: session.id }
    : UNOWNED;
  return createOwned(context, transaction, request, owner);
}

export function createContainer(
  context: RequestContext,
  transaction: Transaction,
  request: CreateBody,
): ReplyBody<Op['createContainer']> {
  if (isWithTTL(request.flags)) throw new RequestRefused(ErrorCode.badArguments);
  return createOwned(context, transaction, request, { kind: 'container' });
}

export function createTTL(
  context: RequestContext,
  transaction: Transaction,
  request: RequestBody<Op['createTTL']>,
): ReplyBody<Op['createTTL']> {
  const { ttl } = request;
  if (!isWithTTL(request.flags) || ttl <= 0n || ttl > MAX_TTL_MS) {
    throw new RequestRefused(ErrorCode.badArguments);
  }
  return createOwned(context, transaction, request, { kind: 'ttl', ttlMs: Number(ttl) });
}

function createOwned(
  { database: { tree }, caller }: RequestContext,
  transaction: Transaction,
  { path, data, acl, flags }: CreateBody,
  owner: NodeOwner,
): ReplyBody<Op['create2']> {
  if (!MODES.has(flags) || !path.includes('/') || path.includes('\0')) {
    throw new RequestRefused(ErrorCode.badArguments);
  }
  const resolved = resolveAcl(acl, caller.identities);
  const parent = tree.get(parentOf(path));
  checkAccess(parent.acl, Perms.create, caller.identities);
  const suffix = SEQUENTIAL.has(flags) ? formatSequence(parent.childrenCreated) : '';
  const realPath = path + suffix;
  checkPath(realPath);
  const node = tree.create(transaction, {
    path: realPath,
    data: copyOf(data),
    acl: resolved,
    owner,
  });
  return { path: realPath, stat: statOf(node) };
}

export function remove(
  { database: { tree }, caller }: RequestContext,
  transaction: Transaction,
  { path, version }: RequestBody<Op['delete']>,
): undefined {
  checkDeletable(path);
  checkAccess(tree.get(parentOf(path)).acl, Perms.delete, caller.identities);
  nextVersion(tree.get(path).version, version);
  tree.delete(transaction, path);
}

export function setData(
  { database: { tree }, caller }: RequestContext,
  transaction: Transaction,
  { path, data, version }: RequestBody<Op['setData']>,
): ReplyBody<Op['setData']> {
  const node = accessible(tree, path, Perms.write, caller.identities);
  tree.setData(transaction, node, copyOf(data), nextVersion(node.version, version));
  return { stat: statOf(node) };
}

export function setACL(
  { database: { tree }, caller }: RequestContext,
  transaction: Transaction,
  { path, acl, version }: RequestBody<Op['setACL']>,
): ReplyBody<Op['setACL']> {
  checkPath(path);
  const resolved = resolveAcl(acl, caller.identities);
  const node = accessible(tree, path, Perms.admin, caller.identities);
  tree.setAcl(transaction, node, resolved, nextVersion(node.aversion, version));
  return { stat: statOf(node) };
}

export function check(
  { database: { tree }, caller }: RequestContext,
  _transaction: Transaction,
  { path, version }: RequestBody<Op['check']>,
): undefined {
  const node = accessible(tree, path, Perms.read, caller.identities);
  nextVersion(node.version, version);
}

/** Disabled, as by default in a real server; the refusal takes a zxid. */
export function reconfig({ database }: RequestContext): never {
  return database.transact(() => {
    throw new RequestRefused(ErrorCode.reconfigDisabled);
  }).result;
}

function accessible(tree: DataTree, path: string, perms: number, identities: readonly Id[]): Znode {
  checkPath(path);
  const node = tree.get(path);
  checkAccess(node.acl, perms, identities);
  return node;
}

/**
 * The version after this one. The expected version must be this one, or -1 for any.
 *
 * @throws {RequestRefused} `badVersion`
 */
function nextVersion(version: number, expected: number): number {
  if (expected !== -1 && expected !== version) throw new RequestRefused(ErrorCode.badVersion);
  const next = (version + 1) | 0;
  // As an expected version, -1 means "any".
  return next === -1 ? 0 : next;
}

/**
 * Copied, because the bytes of a request are a view that would keep all bytes of that read in
 * memory.
 */
function copyOf(data: Buffer | null): Buffer | null {
  return data && Buffer.from(data);
}
