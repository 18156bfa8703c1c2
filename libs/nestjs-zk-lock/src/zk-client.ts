import type { Observable } from 'rxjs';
import {
  type SessionState,
  ZkClient as PlainClient,
  type ZkWatchOptions,
  type ZnodeEvent,
} from 'zk-locks';
import { observe } from './observable.js';

/**
 * Znodes of the application's own, on the session of its locks. One per connection, provided by
 * `ZkLockModule` beside the `LockService`.
 *
 * Paths are relative to the chroot of the connect string. See `docs/znodes.md` for what becomes of a
 * call whose connection is lost, and for the errors.
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
  /** The session's state now, and every change of it. After `lost`, ephemeral znodes are gone. */
  get state$(): Observable<SessionState> {
    return observe((onState, onClosed) => this.onState(onState, onClosed));
  }

  /**
   * Every change of a znode, also where it does not exist yet, over connections and sessions. The first
   * event is a `gap`, once the watch is set; another one follows after each new connection: read then
   * what you have to know. Needs servers of ZooKeeper 3.6 or later.
   *
   * The watch is set with a subscription, and removed with the last one. Completes when the locks are
   * closed.
   *
   * @example
   * ```ts
   * zk.watch('/config').pipe(concatMap(() => zk.get('/config')))
   * ```
   *
   * @param options `recursive` tells of everything below it as well; creations and deletions in place
   * of `children`
   * @throws {ZkLockConfigError} as an error of the Observable, as all others: for a malformed path, and
   * with `client: 'native'`
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
