import {
  decode,
  JuteReader,
  type RequestBody,
  requestCodec,
  RequestHeader,
  type RequestType,
} from 'zk-protocol';

const HEADER_BYTES = 8;

/** A request as it has arrived. Its body is read once, however many servers execute it. */
export class ReceivedRequest {
  readonly xid: number;
  /** May be an unknown number. */
  readonly type: number;
  readonly #bytes: Buffer;
  #body: { readonly value: unknown } | undefined;

  /**
   * @param bytes the frame, without its length
   * @throws {ProtocolError} if it has no complete header
   */
  constructor(bytes: Buffer) {
    ({ xid: this.xid, type: this.type } = RequestHeader.read(new JuteReader(bytes)));
    this.#bytes = bytes.subarray(HEADER_BYTES);
  }

  /** @throws {ProtocolError} if it cannot be decoded */
  body<T extends RequestType>(type: T): RequestBody<T> {
    this.#body ??= { value: decode(requestCodec(type), this.#bytes) };
    return this.#body.value as RequestBody<T>;
  }
}
