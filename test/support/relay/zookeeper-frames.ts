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

/** What the heartbeats of the library under test delete; the spec beside this file holds it to that. */
const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

/**
 * The name of a request's type. `create2`, which is answered more fully, is a `create`, too; the
 * deletion that keeps a session alive, which comes by the clock, is a `heartbeat` and no `delete`.
 */
export type Operation = OpName | 'heartbeat';

export interface RequestHeader {
  readonly xid: number;
  /** What it asks for: nothing that is in `OpCode`, one thing, or a `multi` and its parts. */
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
