import type { Observable } from 'rxjs';
import {
  type SessionState,
  ZkClient as PlainClient,
  type ZkWatchOptions,
  type ZnodeEvent,
} from 'zk-locks';
import { observe } from './observable.js';

/**
 * Reads and writes the application's own znodes, on the session of its locks. There is one client
 * per connection; `ZkLockModule` provides it together with the `LockService`.
 *
 * Paths are relative to the chroot of the connect string. See `docs/znodes.md` for the errors, and
 * for what happens to a call whose connection is lost.
 *
 * @example
 * ```ts
 * constructor(private readonly zk: ZkClient) {}
 *
 * const { data, stat } = await this.zk.get('/config');
 * await this.zk.set('/config', 'light', { version: stat.version });
 * ```
 *
 * @publicApi
 */
export class ZkClient extends PlainClient {
  /**
   * Emits the session's current state, and then every change. After `lost`, the session may still
   * exist on the servers. It has been ended there, with its ephemeral znodes, before the next
   * `connected`.
   */
  get state$(): Observable<SessionState> {
    return observe((onState, onClosed) => this.onState(onState, onClosed));
  }

  /**
   * Emits every change of a znode, even if it does not exist yet, across connections and sessions.
   * The first event is a `gap`, when the watch has been set; another one follows after each new
   * connection. After a `gap`, read the current state. Requires servers of ZooKeeper 3.6 or later.
   *
   * The watch is set with the first subscription and removed with the last one. Completes when the
   * locks are closed.
   *
   * @example
   * ```ts
   * zk.watch('/config').pipe(concatMap(() => zk.get('/config')))
   * ```
   *
   * @param options `recursive` also reports everything below the znode, with creations and
   * deletions instead of `children`
   * @throws {ZkLockConfigError} as an error of the Observable, like all others: for a malformed
   * path, and with `client: 'native'`
   */
  watch(path: string, options: Pick<ZkWatchOptions, 'recursive'> = {}): Observable<ZnodeEvent> {
    return observe((onEvent, onEnd, onError) =>
      this.onChange(path, onEvent, {
        ...options,
        onEnd: (error) => (error ? onError(error) : onEnd()),
      }),
    );
  }
}
