import { JuteWriter } from './jute.js';
import { ProtocolError } from './protocol-error.js';

const LENGTH_SIZE = 4;
const EMPTY: Buffer = Buffer.alloc(0);
const NEVER = (): boolean => false;

/** ZooKeeper's own limit for one frame, unless `jute.maxbuffer` is set: 1 MiB minus one byte. */
export const DEFAULT_MAX_FRAME_BYTES = 0xfffff;

/** One frame: the length of the bytes that `write` writes, and those bytes. */
export function frame(write: (writer: JuteWriter) => void): Buffer {
  const writer = new JuteWriter();
  writer.int(0);
  write(writer);
  writer.patchInt(0, writer.length - LENGTH_SIZE);
  return writer.finish();
}

/** Assembles the pieces of a stream into frames. It keeps at most one frame's bytes. */
export class FrameReader {
  /** Bytes that belong to no complete frame yet. */
  #rest = EMPTY;
  /** The buffer behind `#rest`, with room to grow, unless `#rest` is a view of a piece. */
  #room = EMPTY;
  /** The bytes of a skipped frame that are still to come. */
  #skipped = 0;

  readonly #maxFrameBytes: () => number;

  /**
   * @param maxFrameBytes a longer frame is an error, raised before its bytes arrive; a function is
   * called for each frame
   * @param skips called for each longer frame, with that error: whether to read on behind the frame
   */
  constructor(
    maxFrameBytes: number | (() => number) = DEFAULT_MAX_FRAME_BYTES,
    private readonly skips: (error: ProtocolError) => boolean = NEVER,
  ) {
    this.#maxFrameBytes = typeof maxFrameBytes === 'number' ? () => maxFrameBytes : maxFrameBytes;
  }

  /** Whether bytes of a skipped frame are still to come. */
  get isSkipping(): boolean {
    return this.#skipped > 0;
  }

  /**
   * The frames that this piece completes, in order, without their lengths. They may be views of the
   * piece. The piece is taken when the first frame is asked for; frames that were not asked for
   * come with the next piece.
   *
   * @throws {ProtocolError} `BAD_LENGTH` or `TOO_LONG`; the stream cannot be read any further
   */
  *read(piece: Buffer): Generator<Buffer, void> {
    if (this.#rest.length === 0) this.#rest = piece;
    else this.#append(piece);
    for (;;) {
      const end = this.#endOfFrame();
      if (end === undefined || this.#rest.length < end) return;
      const bytes = this.#rest.subarray(LENGTH_SIZE, end);
      this.#rest = this.#rest.subarray(end);
      // The frame now belongs to the caller, so the buffer must not be written again.
      this.#room = EMPTY;
      yield bytes;
    }
  }

  #endOfFrame(): number | undefined {
    for (;;) {
      this.#skip();
      if (this.#rest.length < LENGTH_SIZE) return undefined;
      const length = this.#rest.readInt32BE(0);
      if (length < 0) throw new ProtocolError('BAD_LENGTH', `a frame of ${length} bytes`);
      const most = this.#maxFrameBytes();
      if (length <= most) return LENGTH_SIZE + length;
      const text = `a frame of ${length} bytes, but only ${most} are allowed`;
      const error = new ProtocolError('TOO_LONG', text);
      if (!this.skips(error)) throw error;
      this.#skipped = LENGTH_SIZE + length;
    }
  }

  #skip(): void {
    if (this.#skipped === 0) return;
    const size = Math.min(this.#skipped, this.#rest.length);
    this.#skipped -= size;
    this.#rest = this.#rest.subarray(size);
    // The rest no longer begins where the room does.
    this.#room = EMPTY;
  }

  /**
   * The room doubles, so that many small pieces take linear time and little memory. A length alone
   * makes no room, because its body may never come.
   */
  #append(piece: Buffer): void {
    const start = this.#rest.length;
    const end = start + piece.length;
    if (end > this.#room.length) {
      this.#room = Buffer.allocUnsafe(Math.max(end, 2 * this.#room.length));
      this.#rest.copy(this.#room);
    }
    piece.copy(this.#room, start);
    this.#rest = this.#room.subarray(0, end);
  }
}
