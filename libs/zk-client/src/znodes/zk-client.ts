import { hasReturnCode, orIfGone, ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { NodeStat } from '../port/zookeeper-client.js';
import type { SessionLease } from '../session/session-lease.js';
import type { SessionState } from '../session/session-state.js';
import { withJson } from '../json.js';
import { ZkClosedError } from '../zk-lock-error.js';
import { checkCallbacks, checkValue, oneOf, readChecked } from '../option.js';
import { optionsOf } from '../options/table.js';
import { readTransaction, toBuffer } from './transaction-options.js';
import type { Call } from './call.js';
import { OVERHEAD_BYTES } from './traffic.js';
import type {
  Transaction,
  ZkCallOptions,
  ZkCreateOptions,
  ZkWatchOptions,
  ZkWriteOptions,
  Znode,
  ZnodeData,
  ZnodeEvent,
} from './znode.js';
import type { Znodes } from './znodes.js';

const CALL = optionsOf('timeoutMs');
const WRITE = optionsOf('timeoutMs', 'version');
const modes = ['persistent', 'persistent-sequential', 'container'] as const;
const mode = oneOf(...modes, 'ephemeral', 'ephemeral-sequential');
const CREATE = { ...optionsOf('timeoutMs', 'ttlMs'), mode };
const WATCH = { ...optionsOf('recursive'), onEnd: optionsOf('fn').fn };

/**
 * Znodes of the application, on a session of their own ({@link connect}), or on that of its locks
 * (`locks.client`).
 *
 * Paths are relative to the chroot of the connect string; paths in errors include it. The `root` of the
 * locks can be read, but not written. A new znode gets the ACL that the option `acl` names.
 *
 * Calls are sent in order, at most 16 and 1 MiB at a time, so that they do not delay heartbeats. Each call
 * waits for a connection. A call that was not sent is sent on the next connection. A call that a server
 * refuses because it is too busy (`ZK_THROTTLED`) is sent again, possibly after later calls: await a call
 * before others that must follow it. If the connection is lost before the answer:
 *
 * | call | |
 * | --- | --- |
 * | `get`, `exists`, `list` | asked again |
 * | `delete` without `version` | asked again; a missing znode then counts as deleted, and one created meanwhile is deleted too |
 * | `set` with `version` | asked again; if it is refused then, the call rejects: see below |
 * | `create` with the mode `ephemeral` | asked again; done, if the znode belongs to this session, and no other call has created it |
 * | `create` with another mode, `set` without and `delete` with `version`, `transaction` | rejects: see below |
 *
 * Every call can reject with
 * - a `ZooKeeperError`: ZooKeeper refused it (`code`, such as `ZK_NO_NODE`); or, with
 *   `outcome: 'ambiguous'`, a write may or may not have been done;
 * - `ZooKeeperUnavailableError`: no answer within `timeoutMs`, and nothing was written;
 * - `ZkLockConfigError`: a malformed path or option, a path of the locks, data of more than 1,000,000
 *   bytes, or a feature that `client: 'native'` does not have (`transaction`, `ttlMs`; with
 *   `onChange`, its `onEnd` gets this error);
 * - `ZkClosedError`: the client, or the locks, were closed.
 *
 * @example
 * ```ts
 * await zk.create('/config', 'dark');
 * const { data, stat } = await zk.get('/config');
 * await zk.set('/config', 'light', { version: stat.version });
 * ```
 */
export class ZkClient {
  readonly #znodes: Znodes;

  /** Use {@link connect} or `locks.client` to get one. */
  constructor(znodes: Znodes) {
    this.#znodes = znodes;
  }

  /** The current state of the session. */
  get state(): SessionState {
    return this.#znodes.session.snapshot.state;
  }

  /**
   * Calls `onState` immediately with the session's state, and at every change, all in the async context
   * of this call. After `close()`, it calls only `onClosed`.
   *
   * After `lost`, the session may still exist on the servers. It has been ended there, with its
   * ephemeral znodes, before the next `connected`.
   *
   * @returns a function that stops the calls
   */
  onState(onState: (state: SessionState) => void, onClosed?: () => void): () => void {
    return this.#znodes.session.onState(onState, onClosed);
  }

  /**
   * Creates a znode. Its parent has to exist.
   *
   * @param data @default none
   * @returns its path, including the number of a sequential znode
   */
  async create(path: string, data: ZnodeData = '', options?: ZkCreateOptions): Promise<string> {
    const { mode = 'persistent', ttlMs, timeoutMs } = readChecked<ZkCreateOptions>(options, CREATE);
    checkValue('ttlMs', ttlMs, {
      expected: `omitted with the mode '${mode}'`,
      accepts: () => ttlMs === undefined || mode.startsWith('persistent'),
      remedy: "Use 'persistent' or 'persistent-sequential'.",
    });
    const { userPaths } = this.#znodes;
    const whole = userPaths.writable(path);
    const content = toBuffer(data);
    const isNumbered = mode.endsWith('-sequential');
    const remedy = `Check with \`${isNumbered ? 'list' : 'exists'}\` before you create it again.`;
    const bytes = content.length;
    const described = { request: 'create', path: whole, bytes, timeoutMs, remedy };
    const created = await this.#znodes.calls.run(described, async (call) => {
      const { session } = this.#znodes;
      const send = (lease: SessionLease): Promise<{ readonly path: string }> =>
        session.create(lease, whole, content, mode, { ttlMs, alone: true, caller: call });
      if (!mode.startsWith('ephemeral')) return (await call.askOnce(send)).path;
      const counted = (lease: SessionLease): Promise<{ readonly path: string }> =>
        this.#znodes.ephemerals.create(lease, whole, isNumbered, () => send(lease));
      if (isNumbered) return (await call.askOnce(counted)).path;
      return this.#znodes.ephemerals.naming(whole, (isOnlyOurs) =>
        this.#createOwned(call, whole, counted, isOnlyOurs),
      );
    });
    return userPaths.toUserPath(created);
  }

  /** Returns the data and the stat of a znode. */
  async get(path: string, options?: ZkCallOptions): Promise<Znode> {
    const { session } = this.#znodes;
    const read = (lease: SessionLease, whole: string) => session.get(lease, whole);
    const { data, stat } = await this.#read('get', path, options, read, (node) => node.data.length);
    return { data, stat: withJson({ ...stat }) };
  }

  /** Returns the stat of a znode; undefined if it does not exist. */
  async exists(path: string, options?: ZkCallOptions): Promise<NodeStat | undefined> {
    const { session } = this.#znodes;
    const read = (lease: SessionLease, whole: string) => session.exists(lease, whole);
    const stat = await this.#read('exists', path, options, read);
    return stat && withJson({ ...stat });
  }

  /** Returns the names of the children in no particular order. */
  async list(path: string, options?: ZkCallOptions): Promise<string[]> {
    const { session } = this.#znodes;
    const read = (lease: SessionLease, whole: string) => session.list(lease, whole);
    const sizeOf = (names: string[]) => names.reduce((sum, { length }) => sum + length, 0);
    return this.#read('list', path, options, read, sizeOf);
  }

  /** Replaces the data of a znode. */
  async set(path: string, data: ZnodeData, options?: ZkWriteOptions): Promise<NodeStat> {
    const { version, timeoutMs } = readChecked<ZkWriteOptions>(options, WRITE);
    const whole = this.#znodes.userPaths.writable(path);
    const content = toBuffer(data);
    const remedy =
      'Read it with `get`. If only this call writes its data, for example because of a UUID in it, the data shows whether it was.';
    const bytes = content.length;
    const described = { request: 'set', path: whole, bytes, timeoutMs, remedy };
    return this.#znodes.calls.run(described, async (call) => {
      const { session } = this.#znodes;
      const send = (lease: SessionLease): Promise<NodeStat> =>
        session.write(
          lease,
          'set',
          whole,
          (client) => client.set(whole, content, { version }),
          call,
        );
      const stat = await (version === undefined ? call.askOnce(send) : call.askUntilDone(send));
      return withJson({ ...stat });
    });
  }

  /** Deletes a znode without children. */
  async delete(path: string, options?: ZkWriteOptions): Promise<void> {
    const { version, timeoutMs } = readChecked<ZkWriteOptions>(options, WRITE);
    const whole = this.#znodes.userPaths.writable(path);
    const remedy = 'Check with `exists`.';
    const described = { request: 'delete', path: whole, timeoutMs, remedy };
    await this.#znodes.calls.run(described, (call) => {
      const { session } = this.#znodes;
      const send = (lease: SessionLease): Promise<void> =>
        this.#znodes.ephemerals.deleting([whole], () => {
          const deletion = session.write(
            lease,
            'delete',
            whole,
            (client) => client.delete(whole, { version }),
            call,
          );
          return call.unknownOutcome ? orIfGone(deletion, undefined) : deletion;
        });
      // If it were sent again, it might delete a node that another client has created since, with
      // the same version.
      return version === undefined ? call.askUntilDone(send) : call.askOnce(send);
    });
  }

  /**
   * Executes several writes together, or none of them.
   *
   * @param build adds the writes, synchronously, in order
   * @returns the paths of the znodes, in that order
   */
  async transaction(
    build: (tx: Transaction) => unknown,
    options?: ZkCallOptions,
  ): Promise<readonly string[]> {
    const { timeoutMs } = readChecked<ZkCallOptions>(options, CALL);
    const { session, userPaths } = this.#znodes;
    const operations = readTransaction(build, userPaths);
    const [first] = operations;
    if (!first) return [];
    const bytes = operations.reduce(
      (sum, one) => sum + OVERHEAD_BYTES + ('data' in one ? one.data.length : 0),
      0,
    );
    const remedy = 'Read the znodes that it should have written.';
    const described = { request: 'transact', path: first.path, bytes, timeoutMs, remedy };
    const deleted = operations.filter(({ type }) => type === 'delete').map(({ path }) => path);
    const paths = await this.#znodes.calls.run(described, (call) =>
      call.askOnce((lease) =>
        this.#znodes.ephemerals.deleting(deleted, () => session.transact(lease, operations, call)),
      ),
    );
    return userPaths.toUser(paths);
  }

  /**
   * Calls `onEvent` at every change of a znode, whether it exists or not, across connections and
   * sessions, until it is stopped, all in the async context of this call. The first event is a `gap`,
   * when the watch has been set; another `gap` follows each new connection. Requires ZooKeeper 3.6 or
   * later.
   *
   * @returns a function that stops the calls
   * @throws {ZkLockConfigError} {@link ZkClosedError}
   */
  onChange(
    path: string,
    onEvent: (event: ZnodeEvent) => void,
    options?: ZkWatchOptions,
  ): () => void {
    checkCallbacks({ onEvent });
    const { recursive = false, onEnd } = readChecked<ZkWatchOptions>(options, WATCH);
    const { userPaths } = this.#znodes;
    const whole = userPaths.readable(path);
    if (this.#znodes.calls.isClosed) throw new ZkClosedError();
    return this.#znodes.watches.add(whole, {
      recursive,
      onEvent: ({ type, path: where }) => onEvent({ type, path: userPaths.toUserPath(where) }),
      onEnd: (error) => onEnd?.(error),
    });
  }

  /**
   * After a lost answer, an ephemeral znode is recognized by its owner, unless several calls share
   * its name.
   */
  async #createOwned(
    call: Call,
    path: string,
    send: (lease: SessionLease) => Promise<{ readonly path: string }>,
    isOnlyOurs: () => boolean,
  ): Promise<string> {
    try {
      return (await call.askUntilAnswered(send)).path;
    } catch (error) {
      const lost = call.unknownOutcome;
      if (!lost) throw error;
      // The first request may have been executed.
      if (!hasReturnCode(error, ReturnCode.nodeExists))
        throw error instanceof ZooKeeperError ? lost : error;
      const { session } = this.#znodes;
      const found = await call.askUntilDone(async (lease) => {
        await session.sync(lease, path);
        const ownerOf = async (): Promise<'us' | 'another' | undefined> => {
          const stat = await session.exists(lease, path);
          return stat && (stat.ephemeralOwner === lease.sessionId ? 'us' : 'another');
        };
        return this.#znodes.ephemerals.deleting([path], ownerOf, (owner) => owner !== 'us');
      });
      if (found === 'us' && isOnlyOurs()) return path;
      // If no session owns it, the node that existed is gone: it may have been this call's.
      throw found === 'another' ? error : lost;
    }
  }

  #read<T>(
    request: string,
    path: string,
    options: ZkCallOptions | undefined,
    send: (lease: SessionLease, whole: string) => Promise<T>,
    sizeOf?: (answer: T) => number,
  ): Promise<T> {
    const { timeoutMs } = readChecked<ZkCallOptions>(options, CALL);
    const { userPaths, calls } = this.#znodes;
    const whole = userPaths.readable(path);
    const readsData = sizeOf !== undefined;
    return calls.run({ request, path: whole, timeoutMs, readsData }, async (call) => {
      const answer = await call.askUntilAnswered((lease) => send(lease, whole));
      if (sizeOf) calls.traffic.answered(sizeOf(answer));
      return answer;
    });
  }
}
