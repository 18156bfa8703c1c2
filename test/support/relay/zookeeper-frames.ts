import {
  decode,
  JuteReader,
  OpCode,
  type OpName,
  opName,
  ReplyHeader as ReplyOnWire,
  requestCodec,
  RequestHeader as RequestOnWire,
} from 'zk-protocol';

/**
 * The node that heartbeats of the library under test delete; the spec beside this file checks it.
 */
const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

/**
 * The name of a request's type. `create2`, with its longer answer, counts as `create`. The deletion
 * that keeps a session alive is sent by a timer, and counts as `heartbeat`, not `delete`.
 */
export type Operation = OpName | 'heartbeat';

export interface RequestHeader {
  readonly xid: number;
  /** The types of its requests: none if unknown to `OpCode`, one, or a `multi` and its parts. */
  readonly operations: readonly Operation[];
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  /** 0, or ZooKeeper's negative error code. */
  readonly error: number;
}

/** @param frame without its length; not the first one of a connection, which is the handshake */
export function requestHeader(frame: Buffer): RequestHeader {
  const reader = new JuteReader(frame);
  const { xid, type } = RequestOnWire.read(reader);
  if (type === OpCode.delete && requestCodec(type).read(reader).path.endsWith(NO_SUCH_NODE)) {
    return { xid, operations: ['heartbeat'] };
  }
  const isMulti = type === OpCode.multi || type === OpCode.multiRead;
  const parts = isMulti ? requestCodec(type).read(reader) : [];
  return { xid, operations: [type, ...parts.map((part) => part.type)].flatMap(operationOf) };
}

function operationOf(type: number): Operation[] {
  const operation = opName(type);
  return operation === undefined ? [] : [operation === 'create2' ? 'create' : operation];
}

/** @param frame without its length; not the first one of a connection, which is the handshake */
export function replyHeader(frame: Buffer): ReplyHeader {
  const { xid, zxid, err } = decode(ReplyOnWire, frame);
  return { xid, zxid, error: err };
}
