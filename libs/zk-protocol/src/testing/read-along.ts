import { decode, encode, isRequestType, replyCodec, requestCodec } from '../packets.js';
import { type Codec, JuteReader } from '../jute.js';
import { OpCode, opName, SpecialXid } from '../op-code.js';
import { ConnectRequest, ConnectResponse } from '../records/connect.js';
import { ReplyHeader, RequestHeader, WatcherEvent } from '../records/headers.js';

/** One frame of a connection between a client and a server, without its length. */
export interface RecordedFrame {
  readonly from: 'client' | 'server';
  readonly bytes: Buffer;
}

/** A decoded frame. */
export interface ReadFrame extends RecordedFrame {
  /** Such as `create`, `create reply`, `connect`, `watch event`. */
  readonly is: string;
  readonly value: unknown;
  /** The value, encoded again by our codecs. */
  readonly rewritten: Buffer;
  /** Bytes after the last record. */
  readonly unread: number;
}

/** Decodes one connection from its first frame on, as a proxy sees it. */
export class ReadAlong {
  readonly #types = new Map<number, number>();
  readonly #greeted = { client: false, server: false };

  read(recorded: RecordedFrame): ReadFrame {
    const { from } = recorded;
    const isFirst = !this.#greeted[from];
    this.#greeted[from] = true;
    if (isFirst) {
      return from === 'client'
        ? asRecord(recorded, 'connect', ConnectRequest)
        : asRecord(recorded, 'connect reply', ConnectResponse);
    }
    return from === 'client' ? this.#request(recorded) : this.#reply(recorded);
  }

  #request(recorded: RecordedFrame): ReadFrame {
    const { xid, type } = decode(RequestHeader, recorded.bytes);
    this.#types.set(xid, type);
    const is = opName(type) ?? String(type);
    return withBody(recorded, is, RequestHeader, codecOf(type, requestCodec));
  }

  #reply(recorded: RecordedFrame): ReadFrame {
    const { xid, err } = decode(ReplyHeader, recorded.bytes);
    if (xid === (SpecialXid.notification as number)) {
      return withBody(recorded, 'watch event', ReplyHeader, WatcherEvent as Codec<unknown>);
    }
    const type = this.#types.get(xid);
    if (type === undefined) throw new Error(`a reply to ${xid}, which was not asked`);
    const is = `${opName(type) ?? String(type)} reply`;
    return withBody(recorded, is, ReplyHeader, err === 0 ? codecOf(type, replyCodec) : undefined);
  }
}

/** For JSON and for readers: longs and bytes as text, `12n` and `<hello>`. */
export function readable(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (Buffer.isBuffer(value)) {
    const text = value.toString('latin1');
    return /^[ -;=?-~]*$/.test(text) ? `<${text}>` : `<0x${value.toString('hex')}>`;
  }
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, readable(one)]));
}

function codecOf(
  type: number,
  table: (type: typeof OpCode.ping) => unknown,
): Codec<unknown> | undefined {
  return isRequestType(type) ? (table(type as typeof OpCode.ping) as Codec<unknown>) : undefined;
}

function asRecord<T>(recorded: RecordedFrame, is: string, codec: Codec<T>): ReadFrame {
  const reader = new JuteReader(recorded.bytes);
  const value = codec.read(reader);
  return { ...recorded, is, value, rewritten: encode(codec, value), unread: reader.remaining };
}

function withBody<H>(
  recorded: RecordedFrame,
  is: string,
  headerCodec: Codec<H>,
  bodyCodec: Codec<unknown> | undefined,
): ReadFrame {
  const reader = new JuteReader(recorded.bytes);
  const header = headerCodec.read(reader);
  const body = bodyCodec?.read(reader);
  return {
    ...recorded,
    is,
    value: body === undefined ? header : { ...header, body },
    rewritten: Buffer.concat([
      encode(headerCodec, header),
      bodyCodec ? encode(bodyCodec, body) : Buffer.alloc(0),
    ]),
    unread: reader.remaining,
  };
}
