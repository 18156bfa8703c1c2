import {
  decode,
  type OpName,
  opName,
  ReplyHeader as ReplyOnWire,
  RequestHeader as RequestOnWire,
} from 'zk-protocol';

/** The name of a request's type. `create2`, which is answered more fully, is a `create`, too. */
export type Operation = OpName;

export interface RequestHeader {
  readonly xid: number;
  /** `undefined` for a type that is not in `OpCode`. */
  readonly operation: Operation | undefined;
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  /** 0, or ZooKeeper's negative error code. */
  readonly error: number;
}

/** @param frame without its length; not the first one of a connection, which is the handshake */
export function requestHeader(frame: Buffer): RequestHeader {
  const { xid, type } = decode(RequestOnWire, frame);
  const operation = opName(type);
  return { xid, operation: operation === 'create2' ? 'create' : operation };
}

/** @param frame without its length; not the first one of a connection, which is the handshake */
export function replyHeader(frame: Buffer): ReplyHeader {
  const { xid, zxid, err } = decode(ReplyOnWire, frame);
  return { xid, zxid, error: err };
}
