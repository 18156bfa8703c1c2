import {
  type ACL,
  AddWatchMode,
  CreateMode as CreateFlags,
  EventType,
  type MultiPart,
  type MultiResult,
  OpCode,
  type Stat,
} from 'zk-protocol';
import { OperationRefusedError } from '../port/client-errors.js';
import { isCreatedPath } from '../port/node-path.js';
import { type Acl, OPEN_ACL } from '../port/user.js';
import {
  ANY_VERSION,
  type CreateMode,
  type LastingEvent,
  type NodeStat,
  type Operation,
} from '../port/zookeeper-client.js';

export const NODE_EVENTS: Readonly<Partial<Record<number, LastingEvent>>> = {
  [EventType.nodeCreated]: 'created',
  [EventType.nodeDeleted]: 'deleted',
  [EventType.nodeDataChanged]: 'changed',
  [EventType.nodeChildrenChanged]: 'children',
};

export const CREATE_FLAGS: Readonly<Record<CreateMode, number>> = {
  persistent: CreateFlags.persistent,
  ephemeral: CreateFlags.ephemeral,
  'persistent-sequential': CreateFlags.persistentSequential,
  'ephemeral-sequential': CreateFlags.ephemeralSequential,
  container: CreateFlags.container,
};

const TTL_FLAGS: Readonly<Partial<Record<CreateMode, number>>> = {
  persistent: CreateFlags.persistentWithTTL,
  'persistent-sequential': CreateFlags.persistentSequentialWithTTL,
};

/** The flags of a new node; undefined if nodes of this mode cannot have a time to live. */
export function toFlags(mode: CreateMode, hasTtl: boolean): number | undefined {
  return (hasTtl ? TTL_FLAGS : CREATE_FLAGS)[mode];
}

export function toWatchMode(recursive: boolean): number {
  return recursive ? AddWatchMode.persistentRecursive : AddWatchMode.persistent;
}

export function toEntries(acl: Acl = OPEN_ACL): readonly ACL[] {
  return acl.map(({ permissions, scheme, id }) => ({ perms: permissions, id: { scheme, id } }));
}

export function toPart(operation: Operation): MultiPart {
  const { path } = operation;
  if (operation.type === 'create') {
    const { data, mode, acl } = operation;
    const request = { path, data, flags: CREATE_FLAGS[mode], acl: toEntries(acl) };
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
export function refusalIn(
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
export function pathOf(operation: Operation, result: MultiResult | undefined): string | undefined {
  if (operation.type !== 'create') {
    const expected = operation.type === 'set' ? OpCode.setData : OpCode[operation.type];
    return result?.type === expected ? operation.path : undefined;
  }
  if (result?.type !== OpCode.create && result?.type !== OpCode.create2) return undefined;
  const { path } = result.reply;
  return isCreatedPath(operation.path, operation.mode, path) ? path : undefined;
}

export function toStat(stat: Stat): NodeStat {
  const { czxid, mzxid, pzxid, version, dataLength, numChildren } = stat;
  return {
    ...{ czxid, mzxid, pzxid },
    ctime: new Date(Number(stat.ctime)),
    mtime: new Date(Number(stat.mtime)),
    ephemeralOwner: toHex(stat.ephemeralOwner),
    version,
    aclVersion: stat.aversion,
    childrenVersion: stat.cversion,
    ...{ dataLength, numChildren },
  };
}

/** A session id in the usual notation. */
export function toHex(id: bigint): string {
  return BigInt.asUintN(64, id).toString(16);
}
