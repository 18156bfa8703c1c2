/** ZooKeeper's requests by name, as its wire numbers them. */
export const operations = {
  closeSession: -11,
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAcl: 6,
  setAcl: 7,
  getChildren: 8,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  reconfig: 16,
  removeWatches: 18,
  createContainer: 19,
  createTtl: 21,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  setWatches2: 105,
  addWatch: 106,
} as const;

export type Operation = keyof typeof operations;

const names = new Map<number, Operation>(
  Object.entries(operations).map(([name, code]) => [code, name as Operation]),
);

/** The xid of a watch event, which answers no request. */
export const notificationXid = -1;

export interface RequestHeader {
  readonly xid: number;
  /** `undefined` for an operation that is not in {@link operations}. */
  readonly operation: Operation | undefined;
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  /** 0, or ZooKeeper's negative error code. */
  readonly error: number;
}

/** @param frame with its length; not the first one of a connection, which is the handshake */
export function requestHeader(frame: Buffer): RequestHeader {
  return { xid: frame.readInt32BE(4), operation: names.get(frame.readInt32BE(8)) };
}

/** @param frame with its length; not the first one of a connection, which is the handshake */
export function replyHeader(frame: Buffer): ReplyHeader {
  return {
    xid: frame.readInt32BE(4),
    zxid: frame.readBigInt64BE(8),
    error: frame.readInt32BE(16),
  };
}

/** Puts pieces of a stream together into whole frames, each with its four bytes of length. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that this piece completes, in order. */
  read(bytes: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: Buffer[] = [];
    for (;;) {
      if (this.#rest.length < 4) return frames;
      const end = 4 + this.#rest.readInt32BE(0);
      if (this.#rest.length < end) return frames;
      frames.push(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
    }
  }
}
