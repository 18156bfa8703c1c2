import {
  AddWatchMode,
  ErrorCode,
  EventType,
  type OpCode,
  type ReplyBody,
  type RequestBody,
  WatcherType,
} from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import type { Watches } from '../watches/watches.js';
import type { RequestContext } from './request-context.js';

type Op = typeof OpCode;

export function addWatch(
  { watches, caller }: RequestContext,
  { path, mode }: RequestBody<Op['addWatch']>,
): ReplyBody<Op['addWatch']> {
  if (mode === AddWatchMode.persistent) watches.addPersistent(path, caller.watcher, 'node');
  else if (mode === AddWatchMode.persistentRecursive) {
    watches.addPersistent(path, caller.watcher, 'recursive');
  } else throw new RequestRefused(ErrorCode.marshallingError);
  return { err: ErrorCode.ok };
}

export function checkWatches(
  { watches, caller }: RequestContext,
  { path, type }: RequestBody<Op['checkWatches']>,
): undefined {
  const { watcher } = caller;
  if (!selectTables(watches, type).some((table) => table.has(path, watcher))) {
    throw new RequestRefused(ErrorCode.noWatcher);
  }
}

export function removeWatches(
  { watches, caller }: RequestContext,
  { path, type }: RequestBody<Op['removeWatches']>,
): undefined {
  const removed = selectTables(watches, type).map((table) => table.remove(path, caller.watcher));
  if (!removed.includes(true)) throw new RequestRefused(ErrorCode.noWatcher);
}

/** Sets the watches of an earlier connection again, and reports what happened meanwhile. */
export function setWatches(
  context: RequestContext,
  request: RequestBody<Op['setWatches2']> | RequestBody<Op['setWatches']>,
): undefined {
  const { watches, caller } = context;
  const { watcher } = caller;
  restoreOneShots(context, request);
  if (!('persistentWatches' in request)) return;
  for (const path of request.persistentWatches) watches.addPersistent(path, watcher, 'node');
  for (const path of request.persistentRecursiveWatches) {
    watches.addPersistent(path, watcher, 'recursive');
  }
}

function restoreOneShots(
  { database: { tree }, watches, caller: { watcher } }: RequestContext,
  request: RequestBody<Op['setWatches']>,
): void {
  const since = request.relativeZxid;
  const tell = (type: EventType, path: string): void => watcher.notify(type, path);
  for (const path of request.dataWatches) {
    const node = tree.find(path);
    if (!node) tell(EventType.nodeDeleted, path);
    else if (node.mzxid > since) tell(EventType.nodeDataChanged, path);
    else watches.data.add(path, watcher, 'one-shot');
  }
  for (const path of request.existWatches) {
    if (tree.find(path)) tell(EventType.nodeCreated, path);
    else watches.data.add(path, watcher, 'one-shot');
  }
  for (const path of request.childWatches) {
    const node = tree.find(path);
    if (!node) tell(EventType.nodeDeleted, path);
    else if (node.pzxid > since) tell(EventType.nodeChildrenChanged, path);
    else watches.children.add(path, watcher, 'one-shot');
  }
}

/**
 * Each of them whatever its mode is: 3.8 knows no types for those of lasting watches (ZOOKEEPER-4471). An
 * unknown type is refused as ZooKeeper refuses it.
 */
function selectTables({ data, children }: Watches, type: number): readonly Watches['data'][] {
  switch (type) {
    case WatcherType.data:
      return [data];
    case WatcherType.children:
      return [children];
    case WatcherType.any:
      return [data, children];
    default:
      throw new RequestRefused(ErrorCode.marshallingError);
  }
}
