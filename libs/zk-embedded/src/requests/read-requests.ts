import { type OpCode, Perms, type ReplyBody, type RequestBody } from 'zk-protocol';
import { ErrorCode } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import { statOf, type Znode } from '../tree/znode.js';
import { checkAccess, isAllowed, maskAcl } from './access-control.js';
import type { RequestContext } from './request-context.js';

type Op = typeof OpCode;

/**
 * Open to all callers, whatever the ACL says (ZooKeeper 3.8; ZOOKEEPER-2590). The watch is set even
 * where there is no node: it then waits for one.
 */
export function exists(
  { database: { tree }, watches, caller }: RequestContext,
  { path, watch }: RequestBody<Op['exists']>,
): ReplyBody<Op['exists']> {
  if (path.includes('\0')) throw new RequestRefused(ErrorCode.badArguments);
  if (watch) watches.data.add(path, caller.watcher, 'one-shot');
  return { stat: statOf(tree.get(path)) };
}

export function getData(
  context: RequestContext,
  { path, watch }: RequestBody<Op['getData']>,
): ReplyBody<Op['getData']> {
  const node = readable(context, path);
  if (watch) context.watches.data.add(path, context.caller.watcher, 'one-shot');
  return { data: node.data, stat: statOf(node) };
}

export function getChildren(
  context: RequestContext,
  { path, watch }: RequestBody<Op['getChildren2']>,
): ReplyBody<Op['getChildren2']> {
  const node = readable(context, path);
  if (watch) context.watches.children.add(path, context.caller.watcher, 'one-shot');
  return { children: [...node.children], stat: statOf(node) };
}

export function getAllChildrenNumber(
  context: RequestContext,
  { path }: RequestBody<Op['getAllChildrenNumber']>,
): ReplyBody<Op['getAllChildrenNumber']> {
  readable(context, path);
  return { totalNumber: context.database.tree.countBelow(path) };
}

export function getEphemerals(
  { database, caller }: RequestContext,
  { prefixPath }: RequestBody<Op['getEphemerals']>,
): ReplyBody<Op['getEphemerals']> {
  const ephemerals = database.tree.ephemeralsOf(caller.session.id);
  // Trimmed only to see whether it is empty.
  const prefix = prefixPath === null || prefixPath.trim() === '' ? '/' : prefixPath;
  const isRoot = prefix.trim() === '/';
  return { ephemerals: isRoot ? ephemerals : ephemerals.filter((path) => path.startsWith(prefix)) };
}

export function getACL(
  { database: { tree }, caller: { identities } }: RequestContext,
  { path }: RequestBody<Op['getACL']>,
): ReplyBody<Op['getACL']> {
  const node = tree.get(path);
  checkAccess(node.acl, Perms.read | Perms.admin, identities);
  const acl = isAllowed(node.acl, Perms.admin, identities) ? node.acl : maskAcl(node.acl);
  return { acl, stat: statOf(node) };
}

/** One server always sees its own writes. */
export function sync(
  _context: RequestContext,
  { path }: RequestBody<Op['sync']>,
): ReplyBody<Op['sync']> {
  return { path };
}

export function whoAmI({ caller }: RequestContext): ReplyBody<Op['whoAmI']> {
  const clientInfo = caller.identities.map(({ scheme, id }) => ({
    authScheme: scheme,
    user: scheme === 'digest' ? (id?.split(':')[0] ?? null) : id,
  }));
  return { clientInfo };
}

function readable({ database: { tree }, caller }: RequestContext, path: string): Znode {
  const node = tree.get(path);
  checkAccess(node.acl, Perms.read, caller.identities);
  return node;
}
