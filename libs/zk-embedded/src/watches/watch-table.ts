/** How long a watch lives and what it covers; one watcher can have several on one path. */
export const WatchMode = {
  oneShot: 1,
  persistent: 2,
  recursive: 4,
} as const;

export type WatchMode = (typeof WatchMode)[keyof typeof WatchMode];

type Modes = number;

/** Watchers and paths, indexed in both directions. */
export class WatchTable<W> {
  readonly #byPath = new Map<string, Map<W, Modes>>();
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

  get paths(): ReadonlyMap<string, ReadonlyMap<W, Modes>> {
    return this.#byPath;
  }

  add(path: string, watcher: W, mode: WatchMode): void {
    const before = this.#modes(path, watcher);
    this.#setModes(path, watcher, before, before | mode);
  }

  /** @param mode all modes if left out */
  has(path: string, watcher: W, mode?: WatchMode): boolean {
    const modes = this.#modes(path, watcher);
    return mode === undefined ? modes !== 0 : (modes & mode) !== 0;
  }

  /** False if there was no such watch. */
  remove(path: string, watcher: W, mode?: WatchMode): boolean {
    const before = this.#modes(path, watcher);
    const after = mode === undefined ? 0 : before & ~mode;
    this.#setModes(path, watcher, before, after);
    return before !== after;
  }

  removeWatcher(watcher: W): void {
    for (const path of [...(this.#byWatcher.get(watcher) ?? [])]) this.remove(path, watcher);
  }

  /**
   * The watchers to notify of an event at a path, each once. Their one-shot watches are removed.
   */
  trigger(path: string, options: { forRecursive: boolean }): Set<W> {
    const triggered = new Set<W>();
    for (const [watcher, modes] of [...(this.#byPath.get(path) ?? [])]) {
      const wanted = WatchMode.oneShot | WatchMode.persistent;
      if (modes & wanted || (options.forRecursive && modes & WatchMode.recursive)) {
        triggered.add(watcher);
        this.#setModes(path, watcher, modes, modes & ~WatchMode.oneShot);
      }
    }
    if (options.forRecursive && this.#recursive > 0) {
      for (const ancestor of ancestorsOf(path)) {
        for (const [watcher, modes] of this.#byPath.get(ancestor) ?? []) {
          if (modes & WatchMode.recursive) triggered.add(watcher);
        }
      }
    }
    return triggered;
  }

  #modes(path: string, watcher: W): Modes {
    return this.#byPath.get(path)?.get(watcher) ?? 0;
  }

  #setModes(path: string, watcher: W, before: Modes, after: Modes): void {
    if (before === after) return;
    this.#recursive +=
      (after & WatchMode.recursive ? 1 : 0) - (before & WatchMode.recursive ? 1 : 0);
    if (after === 0) {
      unlink(this.#byPath, path, watcher);
      unlink(this.#byWatcher, watcher, path);
      return;
    }
    const watchers = this.#byPath.get(path);
    if (watchers) watchers.set(watcher, after);
    else this.#byPath.set(path, new Map([[watcher, after]]));
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
