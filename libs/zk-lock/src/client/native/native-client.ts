import { describeReturnCode, ReturnCode, ZooKeeperError } from '../client-errors.js';
import type {
  ClientEnd,
  ClientListener,
  CreateMode,
  NodeContent,
  ZooKeeperClient,
} from '../zookeeper-client.js';
import { CONNECTED_STATE, dropConnection } from './drop-connection.js';
import type { NativeCalls, NativeHandle } from './native-module.js';

const CREATE_FLAGS: Record<CreateMode, number> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};

const ANY_VERSION = -1;

interface PendingCall {
  readonly reject: (error: ZooKeeperError) => void;
  readonly request: string;
  readonly path: string;
}

/** One connection over the npm package `zookeeper`. */
export class NativeClient implements ZooKeeperClient {
  readonly sessionId: string;
  readonly sessionPassword: string;
  readonly sessionTimeoutMs: number;
  readonly #pending = new Set<PendingCall>();
  readonly #native: NativeCalls;
  readonly #operationTimeoutMs: number;
  #status: 'open' | 'closing' | 'ended' = 'open';

  /** Takes over a handle that has just connected. */
  constructor(
    private readonly handle: NativeHandle,
    readonly server: string,
    private readonly listener: ClientListener,
  ) {
    this.#native = handle.native;
    this.sessionId = this.#native.client_id;
    this.sessionPassword = this.#native.client_password;
    this.sessionTimeoutMs = this.#native.timeout;
    this.#operationTimeoutMs = Math.ceil(this.sessionTimeoutMs / 3);
    handle
      .removeAllListeners()
      .on('deleted', (_, path) => listener.onNode(path, 'deleted'))
      .on('changed', (_, path) => listener.onNode(path, 'changed'))
      // The C client would reconnect by itself: up to T/3 late, with all its old watches.
      .on('connecting', () => this.#end('disconnected'))
      .on('connect', () => this.#end('disconnected'))
      .on('close', (_, code) => this.#onClosed(code));
  }

  create(path: string, data: Buffer, mode: CreateMode): Promise<string> {
    return this.#call('create', path, (resolve) =>
      this.#native.a_create(path, data, CREATE_FLAGS[mode], (rc, _, created) =>
        resolve(rc, created),
      ),
    );
  }

  list(path: string): Promise<string[]> {
    return this.#call('list', path, (resolve) =>
      this.#native.a_get_children(path, false, (rc, _, children) => resolve(rc, children ?? [])),
    );
  }

  get(path: string, { watch = false } = {}): Promise<NodeContent> {
    return this.#call('get', path, (resolve) =>
      // Not `aw_get`, which leaks its callback for ever, and not `exists`, whose watch on an absent
      // node is never removed.
      this.#native.a_get(path, watch, (rc, _, stat, data) =>
        resolve(rc, {
          data: data ?? Buffer.alloc(0),
          stat: { czxid: BigInt(stat?.czxid ?? 0), ephemeralOwner: stat?.ephemeralOwner ?? '0' },
        }),
      ),
    );
  }

  delete(path: string): Promise<void> {
    return this.#call('delete', path, (resolve) =>
      this.#native.a_delete_(path, ANY_VERSION, (rc) => resolve(rc)),
    );
  }

  sync(path: string): Promise<void> {
    return this.#call('sync', path, (resolve) => this.#native.a_sync(path, (rc) => resolve(rc)));
  }

  addAuth(scheme: string, auth: string): Promise<void> {
    return this.#call('addAuth', scheme, (resolve) =>
      this.#native.add_auth(scheme, auth, (rc) => resolve(rc)),
    );
  }

  abandon(): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    void dropConnection(this.handle);
    this.#failPending(ReturnCode.connectionLoss);
  }

  async close(): Promise<void> {
    if (this.#status !== 'open') return;
    // Answered behind all calls in flight: closing over them would leave the ephemeral nodes that
    // they create. And a server that does not answer it would block the event loop in `close()`.
    const drained = this.sync('/').then(
      () => true,
      () => false,
    );
    this.#status = 'closing';
    if (!(await drained)) {
      this.abandon();
      return;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#status = 'ended';
    this.handle.removeAllListeners();
    this.handle.close();
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
      const timer = setTimeout(() => this.#onCallTimeout(call), this.#operationTimeoutMs);
      const settle = (): boolean => {
        clearTimeout(timer);
        return this.#forget(call);
      };
      this.#pending.add(call);
      const queued = invoke((rc, value) => {
        if (!settle()) return;
        if (rc === ReturnCode.ok) resolve(value);
        else reject(new ZooKeeperError(rc, request, path));
      });
      if (queued !== ReturnCode.ok && settle()) {
        reject(new ZooKeeperError(queued, request, path));
      }
      // A send that met a reset socket closes it without any event.
      if (this.#native.state !== CONNECTED_STATE) this.#end('disconnected');
    });
  }

  #forget(call: PendingCall): boolean {
    return this.#pending.delete(call);
  }

  #onCallTimeout(call: PendingCall): void {
    if (!this.#forget(call)) return;
    call.reject(new ZooKeeperError(ReturnCode.operationTimeout, call.request, call.path));
    this.#end('disconnected');
  }

  #onClosed(code: number): void {
    if (code === ReturnCode.sessionExpired) this.#end('session-expired');
    else if (describeReturnCode(code).outcome === 'auth') this.#end('auth-failed');
    else this.#end('disconnected');
  }

  #end(end: ClientEnd): void {
    if (this.#status === 'ended') return;
    const closing = this.#status === 'closing';
    this.#status = 'ended';
    const dropped = dropConnection(this.handle);
    this.#failPending(
      end === 'session-expired' ? ReturnCode.sessionExpired : ReturnCode.connectionLoss,
    );
    if (!closing) void dropped.then(() => this.listener.onEnd(end));
  }

  #failPending(returnCode: number): void {
    for (const call of [...this.#pending]) {
      this.#forget(call);
      call.reject(new ZooKeeperError(returnCode, call.request, call.path));
    }
  }
}
