import { type ACL, EventType } from 'zk-protocol';
import { parentOf } from '../tree/node-path.js';
import type { TreeEvent } from '../tree/transaction.js';
import { WatchTable } from './watch-table.js';

/** A connection. Its watches end with it, and the client sets them again on the next one. */
export interface Watcher {
  /** @param acl of the node: callers who may not read it get no event (CVE-2024-23944) */
  notify(type: EventType, path: string, acl?: readonly ACL[]): void;
}

/**
 * All watches of a server. As in ZooKeeper, there is a table for watches on a node's data (or
 * absence) and one for its children. A persistent watch is in both.
 */
export class Watches {
  readonly data = new WatchTable<Watcher>();
  readonly children = new WatchTable<Watcher>();

  /** Fires for every event until removed, on a node and its children (or on all nodes below it). */
  addPersistent(path: string, watcher: Watcher, mode: 'node' | 'recursive'): void {
    const watchMode = mode === 'node' ? 'persistent' : 'recursive';
    this.data.add(path, watcher, watchMode);
    this.children.add(path, watcher, watchMode);
  }

  removeWatcher(watcher: Watcher): void {
    this.data.removeWatcher(watcher);
    this.children.removeWatcher(watcher);
  }

  /** Notifies the watchers of an event. */
  fire(event: TreeEvent): void {
    const { path, acl } = event;
    switch (event.kind) {
      case 'created':
        this.#tellData(EventType.nodeCreated, path, acl);
        this.#tellChildren(path, event.parentAcl);
        return;
      case 'changed':
        this.#tellData(EventType.nodeDataChanged, path, acl);
        return;
      case 'deleted': {
        const told = this.#tellData(EventType.nodeDeleted, path, acl);
        for (const watcher of this.children.trigger(path, { forRecursive: true })) {
          if (!told.has(watcher)) watcher.notify(EventType.nodeDeleted, path, acl);
        }
        this.#tellChildren(path, event.parentAcl);
      }
    }
  }

  #tellData(type: EventType, path: string, acl: readonly ACL[]): Set<Watcher> {
    const watchers = this.data.trigger(path, { forRecursive: true });
    for (const watcher of watchers) watcher.notify(type, path, acl);
    return watchers;
  }

  /** Recursive watchers get the event of the child itself. */
  #tellChildren(path: string, acl: readonly ACL[]): void {
    const parent = parentOf(path);
    for (const watcher of this.children.trigger(parent, { forRecursive: false })) {
      watcher.notify(EventType.nodeChildrenChanged, parent, acl);
    }
  }
}
