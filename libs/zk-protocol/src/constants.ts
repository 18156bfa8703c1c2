/** The flags of a create request (`CreateMode`). */
export const CreateMode = {
  persistent: 0,
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  container: 4,
  persistentWithTTL: 5,
  persistentSequentialWithTTL: 6,
} as const;

/** The bits of an ACL's `perms` (`ZooDefs.Perms`). */
export const Perms = {
  read: 1,
  write: 2,
  create: 4,
  delete: 8,
  admin: 16,
  all: 31,
} as const;

/** The types of a watch event (`Watcher.Event.EventType`). */
export const EventType = {
  none: -1,
  nodeCreated: 1,
  nodeDeleted: 2,
  nodeDataChanged: 3,
  nodeChildrenChanged: 4,
} as const;

export type EventType = (typeof EventType)[keyof typeof EventType];

/** The `state` of a watch event (`Watcher.Event.KeeperState`). */
export const KeeperState = {
  disconnected: 0,
  syncConnected: 3,
  authFailed: 4,
  expired: -112,
} as const;

/** What an `addWatch` request asks for (`AddWatchMode`). */
export const AddWatchMode = {
  persistent: 0,
  persistentRecursive: 1,
} as const;

/** Which watches a `removeWatches` or `checkWatches` request means (`Watcher.WatcherType`). */
export const WatcherType = {
  children: 1,
  data: 2,
  any: 3,
  persistent: 4,
  persistentRecursive: 5,
} as const;
