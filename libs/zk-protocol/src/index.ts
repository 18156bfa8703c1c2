export {
  AddWatchMode,
  CreateMode,
  EventType,
  KeeperState,
  Perms,
  WatcherType,
} from './constants.js';
export { ErrorCode, type ErrorName, errorName } from './error-code.js';
export { DEFAULT_MAX_FRAME_BYTES, frame, FrameReader } from './framing.js';
export { type Codec, type Jute, JuteReader, JuteWriter } from './jute.js';
export { OpCode, type OpName, opName, SpecialXid } from './op-code.js';
export {
  decode,
  encode,
  encodeErrorReply,
  encodeReply,
  encodeRequest,
  encodeWatcherEvent,
  isRequestType,
  replyCodec,
  requestCodec,
  type ReplyBody,
  type RequestBody,
  type RequestType,
} from './packets.js';
export { ProtocolError, type ProtocolErrorCode } from './protocol-error.js';
export { ConnectRequest, ConnectResponse } from './records/connect.js';
export { ACL, ClientInfo, Id, Stat } from './records/data.js';
export { MultiHeader, ReplyHeader, RequestHeader, WatcherEvent } from './records/headers.js';
export type { MultiPart, MultiPartType, MultiResult, MultiResultType } from './records/multi.js';
