import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  describeReturnCode,
  isConnectionError,
  orIfGone,
  ReturnCode,
  ZooKeeperError,
} from '../port/client-errors.js';
import { isCreatedPath, isName } from '../port/node-path.js';
import { proveBy } from '../port/by-refusal.js';
import { isOpen, type User } from '../port/user.js';
import {
  ANY_VERSION,
  type ClientEnd,
  type ClientListener,
  type Condition,
  type Created,
  type CreateMode,
  type NewNode,
  type NodeContent,
  type NodeEvent,
  type NodeStat,
  type SessionCredentials,
  type ZooKeeperClient,
} from '../port/zookeeper-client.js';
import { SilenceLimit } from '../connection/channel/silence-limit.js';
import { CREATE_FLAGS } from '../connection/translate.js';
import { parkDescriptor } from './descriptor-parking.js';
import { CONNECTED_STATE, dropConnection } from './drop-connection.js';
import { nativeCannot } from '../port/native-cannot.js';
import type { NativeCalls, NativeHandle, NativeStat } from './native-module.js';

interface PendingCall {
  readonly reject: (error: ZooKeeperError) => void;
  readonly request: string;
  readonly path: string;
}

/** One connection over the npm package `zookeeper`. */
export class NativeClient implements ZooKeeperClient {
  readonly #pending = new Set<PendingCall>();
  readonly #handle: NativeHandle;
  readonly #native: NativeCalls;
  readonly #session: SessionCredentials;
  readonly #silence: SilenceLimit;
  #status: 'open' | 'closing' | 'ended' = 'open';

  /** Takes over a handle that has just connected. */
  constructor(
    handle: NativeHandle,
    private readonly descriptor: number,
    readonly server: string,
    readonly sessionTimeoutMs: number,
    private readonly listener: ClientListener,
  ) {
    this.#handle = handle;
    this.#native = handle.native;
    const { client_id: id, client_password: password } = this.#native;
    this.#session = { id, password };
    this.#silence = new SilenceLimit(Math.ceil(sessionTimeoutMs / 3), () =>
      this.#end('disconnected', ReturnCode.operationTimeout),
    );
    handle
      .removeAllListeners()
      .on('deleted', (_, path) => this.#onNode(path, 'deleted'))
      .on('changed', (_, path) => this.#onNode(path, 'changed'))
      .on('child', (_, path) => this.#onNode(path, 'children'))
      // The C client would reconnect by itself: up to T/3 late, with all its old watches.
      .on('connecting', () => this.#end('disconnected'))
      .on('connect', () => this.#end('disconnected'))
      .on('close', (_, code) => this.#onClosed(code));
  }

  get session(): SessionCredentials {
    return this.#session;
  }

  create(
    path: string,
    data: Buffer,
    mode: CreateMode,
    { acl, ttlMs }: NewNode = {},
  ): Promise<Created> {
    if (ttlMs !== undefined) return Promise.reject(nativeCannot('times to live'));
    if (acl && !isOpen(acl)) return Promise.reject(nativeCannot('ACLs for new nodes'));
    return this.#call('create', path, (resolve) =>
      this.#native.a_create(path, data, CREATE_FLAGS[mode], (rc, _, created) =>
        resolve(orNonsense(rc, isCreatedPath(path, mode, created)), {
          path: created,
          czxid: undefined,
        }),
      ),
    );
  }

  list(path: string, { watch = false } = {}): Promise<string[]> {
    return this.#call('list', path, (resolve) =>
      this.#native.a_get_children(path, watch, (rc, _, children) =>
        resolve(orNonsense(rc, (children ?? []).every(isName)), children ?? []),
      ),
    );
  }

  get(path: string, { watch = false } = {}): Promise<NodeContent> {
    return this.#call('get', path, (resolve) =>
      // Not `aw_get`, which leaks its callback for ever, and not `exists`, whose watch on an absent
      // node is never removed.
      this.#native.a_get(path, watch, (rc, _, stat, data) =>
        resolve(rc, {
          data: data ?? Buffer.alloc(0),
          stat: toNodeStat(stat),
        }),
      ),
    );
  }

  exists(path: string): Promise<NodeStat | undefined> {
    const asked = this.#call<NodeStat>('exists', path, (resolve) =>
      this.#native.a_exists(path, false, (rc, _, stat) => resolve(rc, toNodeStat(stat))),
    );
    return orIfGone(asked, undefined);
  }

  set(path: string, data: Buffer, { version }: Condition = {}): Promise<NodeStat> {
    return this.#call('set', path, (resolve) =>
      this.#native.a_set(path, data, version ?? ANY_VERSION, (rc, _, stat) =>
        resolve(rc, toNodeStat(stat)),
      ),
    );
  }

  delete(path: string, { version }: Condition = {}): Promise<void> {
    return this.#call('delete', path, (resolve) =>
      this.#native.a_delete_(path, version ?? ANY_VERSION, (rc) => resolve(rc)),
    );
  }

  sync(path: string): Promise<void> {
    return this.#call('sync', path, (resolve) => this.#native.a_sync(path, (rc) => resolve(rc)));
  }

  proveSession(): Promise<void> {
    return proveBy((path) => this.delete(path));
  }

  logIn(user: User): Promise<void> {
    if (user.scheme === 'sasl') return Promise.reject(nativeCannot('SASL'));
    return this.#call('addAuth', user.scheme, (resolve) =>
      this.#native.add_auth(user.scheme, user.revealDigest(), (rc) => resolve(rc)),
    );
  }

  abandon(): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    this.#failPending(ReturnCode.connectionLoss);
    void dropConnection(this.#handle, this.descriptor);
  }

  async close(): Promise<boolean> {
    if (this.#status !== 'open') return false;
    // Answered behind all calls in flight, whose ephemeral nodes would stay otherwise. And a server that
    // does not answer it would block the event loop in `close()`.
    const drained = this.sync('/').then(nextTurn, nextTurn);
    this.#status = 'closing';
    await drained;
    if (this.#hasEnded()) return false;
    this.#status = 'ended';
    this.#silence.stop();
    this.#handle.removeAllListeners();
    this.#handle.close();
    parkDescriptor(this.descriptor);
    return true;
  }

  #hasEnded(): boolean {
    return this.#status === 'ended';
  }

  #call<T>(
    request: string,
    path: string,
    invoke: (resolve: (rc: number, value: T) => void) => number,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#status !== 'open') {
        reject(new ZooKeeperError(ReturnCode.invalidState, request, path));
        return;
      }
      const call: PendingCall = { reject, request, path };
      this.#pending.add(call);
      const queued = invoke((rc, value) => {
        const isDue = this.#pending.delete(call);
        this.#heard();
        if (!isDue) return;
        if (rc === ReturnCode.ok) return resolve(value);
        const error = new ZooKeeperError(rc, request, path);
        reject(error);
        if (error.outcome === 'session-over') this.#end('session-expired');
        else if (isConnectionError(error)) this.#end('disconnected');
      });
      if (queued === ReturnCode.ok) this.#silence.expect();
      else if (this.#pending.delete(call)) {
        reject(new ZooKeeperError(queued, request, path));
      }
      // A send that met a reset socket closes it without any event.
      if (this.#native.state !== CONNECTED_STATE) this.#end('disconnected');
    });
  }

  #heard(): void {
    this.#silence.heard(this.#pending.size === 0);
  }

  #onNode(path: string, event: NodeEvent): void {
    this.#heard();
    this.listener.onNode(path, event);
  }

  #onClosed(code: number): void {
    if (code === ReturnCode.sessionExpired) this.#end('session-expired');
    else if (describeReturnCode(code).outcome === 'auth') this.#end('auth-failed');
    else this.#end('disconnected');
  }

  #end(end: ClientEnd, returnCode: number = ReturnCode.connectionLoss): void {
    if (this.#status === 'ended') return;
    const isClosing = this.#status === 'closing';
    this.#status = 'ended';
    this.#failPending(end === 'session-expired' ? ReturnCode.sessionExpired : returnCode);
    const dropped = dropConnection(this.#handle, this.descriptor);
    if (!isClosing) void dropped.then(() => this.listener.onEnd(end));
  }

  #failPending(returnCode: number): void {
    this.#silence.stop();
    for (const call of this.#pending) {
      call.reject(new ZooKeeperError(returnCode, call.request, call.path));
    }
    this.#pending.clear();
  }
}

function toNodeStat(stat: NativeStat | null): NodeStat {
  return {
    czxid: BigInt(stat?.czxid ?? 0),
    mzxid: BigInt(stat?.mzxid ?? 0),
    pzxid: BigInt(stat?.pzxid ?? 0),
    ctime: stat?.ctime ?? new Date(0),
    mtime: stat?.mtime ?? new Date(0),
    ephemeralOwner: stat?.ephemeralOwner ?? '0',
    version: stat?.version ?? 0,
    aclVersion: stat?.aversion ?? 0,
    childrenVersion: stat?.cversion ?? 0,
    dataLength: stat?.dataLength ?? 0,
    numChildren: stat?.numChildren ?? 0,
  };
}

/** An answer that no ZooKeeper server gives: the server may have done anything. */
function orNonsense(rc: number, makesSense: boolean): number {
  return rc === ReturnCode.ok && !makesSense ? ReturnCode.marshallingError : rc;
}
