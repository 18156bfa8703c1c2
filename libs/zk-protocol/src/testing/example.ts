import {
  encodeErrorReply,
  encodeReply,
  ErrorCode,
  JuteReader,
  OpCode,
  requestCodec,
  RequestHeader,
} from 'zk-protocol';

/** Answers one frame of a client, as a `FrameReader` returns it, from a server of one node. */
export function answer(frame: Buffer): Buffer {
  const reader = new JuteReader(frame);
  const { xid, type } = RequestHeader.read(reader);
  const zxid = 1n;

  if (type !== OpCode.getAllChildrenNumber) {
    return encodeErrorReply({ xid, zxid, err: ErrorCode.unimplemented });
  }
  const { path } = requestCodec(type).read(reader);
  return path === '/'
    ? encodeReply({ xid, zxid }, type, { totalNumber: 0 })
    : encodeErrorReply({ xid, zxid, err: ErrorCode.noNode });
}
