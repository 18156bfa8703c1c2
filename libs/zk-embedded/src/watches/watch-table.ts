/** How long a watch lives, and what it covers. */
export type WatchMode = 'one-shot' | 'persistent' | 'recursive';

/**
 * Watchers and paths, indexed in both directions. As in ZooKeeper 3.8, a watcher has one watch on a path: the
 * latest takes the place of an earlier one of another mode (ZOOKEEPER-4466).
 */
export class WatchTable<W> {
  readonly #byPath = new Map<string, Map<W, WatchMode>>();
  readonly #byWatcher = new Map<W, Set<string>>();
  #recursive = 0;

  /** A path counts once for each of its watchers. */
  get size(): number {
    let count = 0;
    for (const paths of this.#byWatcher.values()) count += paths.size;
    return count;
  }

  get watchers(): ReadonlyMap<W, ReadonlySet<string>> {
    return this.#byWatcher;
  }

  get paths(): ReadonlyMap<string, ReadonlyMap<W, WatchMode>> {
    return this.#byPath;
  }

  add(path: string, watcher: W, mode: WatchMode): void {
    this.#set(path, watcher, mode);
  }

  has(path: string, watcher: W): boolean {
    return this.#byPath.get(path)?.has(watcher) ?? false;
  }

  /** False if there was no such watch. */
  remove(path: string, watcher: W): boolean {
    const isThere = this.has(path, watcher);
    if (isThere) this.#set(path, watcher, undefined);
    return isThere;
  }

  removeWatcher(watcher: W): void {
    for (const path of [...(this.#byWatcher.get(watcher) ?? [])]) this.remove(path, watcher);
  }

  /**
   * The watchers to notify of an event at a path, each once. Their one-shot watches are removed.
   */
  trigger(path: string, options: { forRecursive: boolean }): Set<W> {
    const triggered = new Set<W>();
    for (const [watcher, mode] of [...(this.#byPath.get(path) ?? [])]) {
      if (mode === 'recursive' && !options.forRecursive) continue;
      triggered.add(watcher);
      if (mode === 'one-shot') this.#set(path, watcher, undefined);
    }
    if (options.forRecursive && this.#recursive > 0) {
      for (const ancestor of ancestorsOf(path)) {
        for (const [watcher, mode] of this.#byPath.get(ancestor) ?? []) {
          if (mode === 'recursive') triggered.add(watcher);
        }
      }
    }
    return triggered;
  }

  #set(path: string, watcher: W, mode: WatchMode | undefined): void {
    const before = this.#byPath.get(path)?.get(watcher);
    this.#recursive += (mode === 'recursive' ? 1 : 0) - (before === 'recursive' ? 1 : 0);
    if (mode === undefined) {
      unlink(this.#byPath, path, watcher);
      unlink(this.#byWatcher, watcher, path);
      return;
    }
    const watchers = this.#byPath.get(path);
    if (watchers) watchers.set(watcher, mode);
    else this.#byPath.set(path, new Map([[watcher, mode]]));
    const paths = this.#byWatcher.get(watcher);
    if (paths) paths.add(path);
    else this.#byWatcher.set(watcher, new Set([path]));
  }
}

/** Removes an entry of an inner collection, and an inner collection that becomes empty. */
function unlink<K, V>(
  outer: Map<K, { readonly size: number; delete(value: V): boolean }>,
  key: K,
  value: V,
): void {
  const inner = outer.get(key);
  inner?.delete(value);
  if (inner?.size === 0) outer.delete(key);
}

function* ancestorsOf(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    yield path.slice(0, end);
  }
  if (path !== '/') yield '/';
}
