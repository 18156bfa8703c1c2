import { type Codec, type Jute, JuteReader } from './jute.js';
import { frame } from './framing.js';
import { ErrorCode } from './error-code.js';
import { OpCode, SpecialXid } from './op-code.js';
import { ReplyHeader, RequestHeader, WatcherEvent } from './records/headers.js';
import { MultiReply, MultiRequest } from './records/multi.js';
import { singleReplies } from './records/replies.js';
import { singleRequests } from './records/requests.js';

const requests = {
  ...singleRequests,
  [OpCode.multi]: MultiRequest,
  [OpCode.multiRead]: MultiRequest,
} as const;

const replies = {
  ...singleReplies,
  [OpCode.multi]: MultiReply,
  [OpCode.multiRead]: MultiReply,
} as const satisfies Record<keyof typeof requests, unknown>;

/** The types of requests whose bodies this library knows. */
export type RequestType = keyof typeof requests;
export type RequestBody<T extends RequestType> = Jute<(typeof requests)[T]>;
export type ReplyBody<T extends RequestType> = Jute<(typeof replies)[T]>;

export function isRequestType(type: number): type is RequestType {
  return Object.hasOwn(requests, type);
}

export function requestCodec<T extends RequestType>(type: T): Codec<RequestBody<T>> {
  return requests[type] as unknown as Codec<RequestBody<T>>;
}

export function replyCodec<T extends RequestType>(type: T): Codec<ReplyBody<T>> {
  return replies[type] as unknown as Codec<ReplyBody<T>>;
}

/** A request as a frame. */
export function encodeRequest<T extends RequestType>(
  xid: number,
  type: T,
  body: RequestBody<T>,
): Buffer {
  return frame((writer) => {
    RequestHeader.write(writer, { xid, type });
    requestCodec(type).write(writer, body);
  });
}

/** A reply as a frame. */
export function encodeReply<T extends RequestType>(
  { xid, zxid }: Omit<ReplyHeader, 'err'>,
  type: T,
  body: ReplyBody<T>,
): Buffer {
  return frame((writer) => {
    ReplyHeader.write(writer, { xid, zxid, err: ErrorCode.ok });
    replyCodec(type).write(writer, body);
  });
}

/** A reply with an error code and no body. */
export function encodeErrorReply(header: ReplyHeader): Buffer {
  return frame((writer) => ReplyHeader.write(writer, header));
}

/** @param zxid of the transaction that fired the watch; servers before 3.9 send -1 */
export function encodeWatcherEvent(event: WatcherEvent, zxid = -1n): Buffer {
  return frame((writer) => {
    ReplyHeader.write(writer, { xid: SpecialXid.notification, zxid, err: ErrorCode.ok });
    WatcherEvent.write(writer, event);
  });
}

/** Reads one record from the beginning of the bytes; more may follow it. */
export function decode<T>(codec: Codec<T>, bytes: Buffer): T {
  return codec.read(new JuteReader(bytes));
}

/** One record, as bytes without a length. */
export function encode<T>(codec: Codec<T>, value: T): Buffer {
  return frame((writer) => codec.write(writer, value)).subarray(4);
}
