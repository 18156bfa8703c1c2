import {
  type ACL,
  ANY_VERSION,
  type Connection,
  CreateMode as CreateFlags,
  type CreateModeName,
  type CreateOptions,
  ErrorCode,
  type MultiPart,
  type MultiResult,
  OpCode,
  OPEN_ACL,
  RequestError,
  type Stat,
  WatcherType,
} from '../../connection/index.js';
import type { Acl, User } from '../user.js';
import {
  isConnectionError,
  OperationRefusedError,
  ReturnCode,
  ZooKeeperError,
} from '../client-errors.js';
import { checkPath, isCreatedPath, isName } from '../node-path.js';
import { proveBy } from '../by-refusal.js';
import type {
  Condition,
  Created,
  CreateMode,
  NewNode,
  NodeContent,
  NodeStat,
  Operation,
  ZooKeeperClient,
} from '../zookeeper-client.js';
import type { WireListener } from './wire-listener.js';
import { queueMicrotask } from '../../real-time.js';

const CREATE_MODES: Readonly<Record<CreateMode, CreateModeName>> = {
  persistent: 'persistent',
  ephemeral: 'ephemeral',
  'persistent-sequential': 'persistentSequential',
  'ephemeral-sequential': 'ephemeralSequential',
  container: 'container',
};

const NO_DATA = Buffer.alloc(0);

/**
 * Not batched: the request is expected to be refused, and then the rest of its batch would be sent
 * again.
 */
const ALONE = { alone: true };

/** One connection over `zk-client`. */
export class WireClient implements ZooKeeperClient {
  readonly sessionId: string;
  readonly #sessionPassword: string;

  constructor(
    private readonly connection: Connection,
    readonly server: string,
    private readonly listener: WireListener,
  ) {
    const { id, password } = connection.session;
    this.sessionId = inHex(id);
    this.#sessionPassword = password.toString('hex');
  }

  get sessionTimeoutMs(): number {
    return this.connection.sessionTimeoutMs;
  }

  get sessionPassword(): string {
    return this.#sessionPassword;
  }

  get bytesRead(): number {
    return this.connection.bytesRead;
  }

  create(
    path: string,
    data: Buffer,
    mode: CreateMode,
    { acl, rank, ttlMs, alone = false }: NewNode = {},
  ): Promise<Created> {
    const mortal = mode === 'persistent' ? 'persistentWithTTL' : 'persistentSequentialWithTTL';
    const kind = ttlMs === undefined ? CREATE_MODES[mode] : mortal;
    const options: CreateOptions = { mode: kind, acl: toEntries(acl), rank, alone, ttlMs };
    const send = (): Promise<SentBack> => this.connection.create(path, data, options);
    return this.#call('create', path, send, ({ path: created, czxid, stat }) => {
      const mayBeOurs = !stat || !mode.startsWith('ephemeral') || this.#owns(stat);
      if (!mayBeOurs || !isCreatedPath(path, mode, created)) throw this.#nonsense('create', path);
      return { path: created, czxid };
    });
  }

  list(path: string, options?: { watch?: boolean }): Promise<string[]> {
    const send = (): Promise<readonly string[]> => this.connection.getChildren(path, options);
    return this.#call('list', path, send, (names) => {
      if (!names.every(isName)) throw this.#nonsense('list', path);
      return [...names];
    });
  }

  get(path: string, options?: { watch?: boolean }): Promise<NodeContent> {
    const send = () => this.connection.getData(path, options);
    return this.#call('get', path, send, ({ data, stat }) => {
      // A copy, because the data are a view of a larger buffer.
      return { data: Buffer.from(data ?? NO_DATA), stat: toStat(stat) };
    });
  }

  exists(path: string): Promise<NodeStat | undefined> {
    const send = (): Promise<Stat | null> => this.connection.exists(path);
    return this.#call('exists', path, send, (stat) => (stat ? toStat(stat) : undefined));
  }

  set(path: string, data: Buffer, condition?: Condition): Promise<NodeStat> {
    const { version, alone } = demandsOf(condition);
    const send = (): Promise<Stat> => this.connection.setData(path, data, version, alone);
    return this.#call('set', path, send, toStat);
  }

  delete(path: string, condition?: Condition): Promise<void> {
    const { version, alone } = demandsOf(condition);
    return this.#perform('delete', path, () => this.connection.delete(path, version, alone));
  }

  addWatch(path: string, { recursive }: { recursive: boolean }): Promise<void> {
    const mode = recursive ? 'persistentRecursive' : 'persistent';
    const send = (): Promise<void> => this.connection.addWatch(path, mode).catch(sayUnimplemented);
    return this.#perform('addWatch', path, send);
  }

  removeWatches(path: string): Promise<void> {
    const send = (): Promise<void> => this.connection.removeWatches(path, WatcherType.any);
    return this.#perform('removeWatches', path, send);
  }

  transact(operations: readonly Operation[]): Promise<readonly string[]> {
    const unsound = operations.find(({ path }) => checkPath(path) !== undefined);
    const path = unsound?.path ?? operations[0]?.path ?? '/';
    const send = (): Promise<readonly MultiResult[]> =>
      this.connection.multi(operations.map(toPart));
    return this.#call('transact', path, send, (results) => {
      if (results.length !== operations.length) throw this.#nonsense('transact', path);
      const refusal = refusalIn(operations, results);
      if (isConnectionError(refusal)) this.#giveUp(refusal);
      if (refusal) throw refusal;
      return operations.map((operation, index) => {
        const written = pathOf(operation, results[index]);
        if (written === undefined) throw this.#nonsense('transact', operation.path);
        return written;
      });
    });
  }

  sync(path: string): Promise<void> {
    return this.#perform('sync', path, () => this.connection.sync(path));
  }

  proveSession(): Promise<void> {
    return proveBy((path) =>
      this.#perform('delete', path, () => this.connection.delete(path, ANY_VERSION, ALONE)),
    );
  }

  logIn(user: User): Promise<void> {
    const { scheme, username } = user;
    return explained('addAuth', `${username} (${scheme})`, () =>
      scheme === 'sasl'
        ? this.connection.authenticate(username, user.revealPassword())
        : this.connection.addAuth(scheme, Buffer.from(user.revealDigest())),
    );
  }

  abandon(): void {
    this.listener.mute();
    this.connection.abandon();
  }

  close(): Promise<boolean> {
    this.listener.mute();
    return this.connection.close();
  }

  #owns({ ephemeralOwner }: Stat): boolean {
    return inHex(ephemeralOwner) === this.sessionId;
  }

  /** A request whose answer is empty. */
  #perform(request: string, path: string, send: () => Promise<unknown>): Promise<void> {
    return this.#call(request, path, send, toNothing);
  }

  /** @param read converts the connection's answer to ours; throws if it is nonsense */
  #call<A, T>(
    request: string,
    path: string,
    send: () => Promise<A>,
    read: (answer: A) => T,
  ): Promise<T> {
    if (checkPath(path) !== undefined) {
      return Promise.reject(new ZooKeeperError(ReturnCode.badArguments, request, path));
    }
    return send().then(read, (error: unknown) => {
      const ours = explain(request, path, error);
      if (isConnectionError(ours)) this.#giveUp(ours);
      throw ours;
    });
  }

  /** The error for an answer that no ZooKeeper server gives: the server may have done anything. */
  #nonsense(request: string, path: string): ZooKeeperError {
    const error = new ZooKeeperError(ReturnCode.marshallingError, request, path);
    this.#giveUp(error);
    return error;
  }

  /** Drops the connection after an answer that ends it, or that cannot be true. */
  #giveUp({ outcome }: ZooKeeperError): void {
    if (!this.connection.isOpen) return;
    this.connection.abandon();
    const end = outcome === 'session-over' ? 'session-expired' : 'disconnected';
    queueMicrotask(() => this.listener.onEnd(end));
  }
}

type SentBack = Awaited<ReturnType<Connection['create']>>;

const toNothing = (): undefined => undefined;

/**
 * The error of a server with `WatchManagerOptimized`, which does not support lasting watches, and
 * answers as if it could not read the request. With a cause, it is the answer that cannot be read.
 */
function sayUnimplemented(error: unknown): never {
  if (!(error instanceof RequestError) || error.cause !== undefined) throw error;
  if (error.code !== ErrorCode.marshallingError) throw error;
  throw new RequestError(ErrorCode.unimplemented, error.request, error.path, true);
}

/** Without an ACL, the node is open to everyone. */
function toEntries(acl: Acl | undefined): readonly ACL[] {
  if (!acl) return OPEN_ACL;
  return acl.map(({ permissions, scheme, id }) => ({ perms: permissions, id: { scheme, id } }));
}

function toPart(operation: Operation): MultiPart {
  const { path } = operation;
  if (operation.type === 'create') {
    const { data, mode, acl } = operation;
    const flags = CreateFlags[CREATE_MODES[mode]];
    const request = { path, data, flags, acl: toEntries(acl) };
    if (mode === 'container') return { type: OpCode.createContainer, request };
    return { type: OpCode.create2, request };
  }
  const version = operation.version ?? ANY_VERSION;
  if (operation.type === 'set') {
    return { type: OpCode.setData, request: { path, data: operation.data, version } };
  }
  return { type: OpCode[operation.type], request: { path, version } };
}

/** The error of the operation that failed, with which all of them failed. */
function refusalIn(
  operations: readonly Operation[],
  results: readonly MultiResult[],
): OperationRefusedError | undefined {
  for (const [index, { type, path }] of operations.entries()) {
    const result = results[index];
    if (result?.type !== OpCode.error) continue;
    const { err } = result;
    // Operations before the failed one have 0, those after it `runtimeInconsistency`.
    if (err !== 0) return new OperationRefusedError(err, type, path, index);
  }
  return undefined;
}

/** Undefined if this cannot be the answer to the operation. */
function pathOf(operation: Operation, result: MultiResult | undefined): string | undefined {
  if (operation.type !== 'create') {
    const expected = operation.type === 'set' ? OpCode.setData : OpCode[operation.type];
    return result?.type === expected ? operation.path : undefined;
  }
  if (result?.type !== OpCode.create && result?.type !== OpCode.create2) return undefined;
  const { path } = result.reply;
  return isCreatedPath(operation.path, operation.mode, path) ? path : undefined;
}

function demandsOf(condition: Condition | undefined): {
  version: number;
  alone: typeof ALONE | undefined;
} {
  return { version: condition?.version ?? ANY_VERSION, alone: condition && ALONE };
}

function toStat(stat: Stat): NodeStat {
  const { czxid, mzxid, pzxid, version, dataLength, numChildren } = stat;
  return {
    ...{ czxid, mzxid, pzxid },
    ctime: new Date(Number(stat.ctime)),
    mtime: new Date(Number(stat.mtime)),
    ephemeralOwner: inHex(stat.ephemeralOwner),
    version,
    aclVersion: stat.aversion,
    childrenVersion: stat.cversion,
    ...{ dataLength, numChildren },
  };
}

/** A session id in the usual notation. */
function inHex(id: bigint): string {
  return BigInt.asUintN(64, id).toString(16);
}

/** A failure of the connection as an error of the port; other errors are returned unchanged. */
export function explain(request: string, path: string, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const isUnsent = !error.wasSent && !error.isRefusal;
  const returnCode = isUnsent ? ReturnCode.invalidState : error.code;
  return new ZooKeeperError(returnCode, request, path, { cause: error.cause });
}

/** The result of `send`, or its failure as an error of the port. */
export async function explained<T>(
  request: string,
  path: string,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw explain(request, path, error);
  }
}
