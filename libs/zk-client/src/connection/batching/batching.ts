export interface BatchingOptions {
  /**
   * How many writes a server executes per millisecond when each comes by itself. A batch must be
   * larger than the number executed in one round trip. @default 10
   */
  readonly writesPerMs?: number;
}

const WRITES_PER_MS = 10;

/**
 * What connections have learned about the servers when they send requests together. All connections
 * opened with one object share it.
 */
export class Batching {
  readonly writesPerMs: number;
  /** False once a server refused `multiRead` as unknown; it exists since ZooKeeper 3.6. */
  readsTogether = true;
  /** @internal */
  readonly frameLimits = new FrameLimits();

  constructor({ writesPerMs = WRITES_PER_MS }: BatchingOptions = {}) {
    this.writesPerMs = writesPerMs;
  }
}

/** A request that was cut off this many times in a row is refused. */
const MOST_CUTS = 3;
/** All servers accept this much: a shorter request was cut off for another reason. */
const FEWEST_BYTES = 1_024;
/**
 * How long a cut says what the servers accept: then a refused request, or a longer batch, is tried
 * again.
 */
const NEWS_MS = 60_000;

/**
 * How many bytes may go together. It is halved with each batch that was too long, and doubled when
 * that is old news. If the longer batch fails again, the next one waits twice as long, so that
 * servers with a small limit cut off ever fewer connections.
 */
class MostTogether {
  #most = Infinity;
  /** The fewest that were too many, and have never been answered. */
  #tooMany = Infinity;
  #newsMs = NEWS_MS;
  #isRaised = false;
  #raisedAt = Infinity;

  get most(): number {
    if (performance.now() >= this.#raisedAt) {
      this.#most *= 2;
      this.#isRaised = true;
      this.#raisedAt = performance.now() + this.#newsMs;
    }
    return this.#most;
  }

  refused(bytes: number): void {
    if (this.#isRaised) this.#newsMs *= 2;
    this.#isRaised = false;
    this.#tooMany = Math.min(this.#tooMany, bytes);
    this.#most = Math.min(this.#most, Math.ceil(bytes / 2));
    this.#raisedAt = performance.now() + this.#newsMs;
  }

  answered(bytes: number): void {
    if (bytes < this.#tooMany) return;
    this.#most = this.#tooMany = this.#raisedAt = Infinity;
    this.#newsMs = NEWS_MS;
    this.#isRaised = false;
  }
}

/**
 * The size of frame that servers accept, learned from how connections end. A server closes the
 * connection without an answer when a frame exceeds its `jute.maxbuffer`. Without this limit, the
 * same frame would be sent again after each reconnect. A connection may also end for another
 * reason: a cut sets no limit if a frame of that length was answered before, and none for long.
 */
export class FrameLimits {
  readonly #bytes = new MostTogether();
  /** The longest frame that was answered since the last cut. */
  #answeredBytes = 0;
  /** The shortest single request that was cut off, and never answered. */
  #suspectBytes = Infinity;
  #cuts = 0;
  #refusedUntil = 0;
  #readsAloneUntil = 0;
  #readsAloneMs = NEWS_MS;

  /** The most bytes in one batch. */
  get mostBytes(): number {
    return this.#bytes.most;
  }

  /** The most requests in one `multiRead`. */
  get mostReads(): number {
    return performance.now() < this.#readsAloneUntil ? 1 : Infinity;
  }

  answered(bytes: number): void {
    this.#answeredBytes = Math.max(this.#answeredBytes, bytes);
    this.#bytes.answered(bytes);
    if (bytes < this.#suspectBytes) return;
    this.#suspectBytes = Infinity;
    this.#cuts = 0;
  }

  /** @param bytes of the longest frame that was not answered before the server hung up */
  cut(bytes: number, isBatch: boolean): void {
    const wasAnswered = bytes <= this.#answeredBytes;
    this.#answeredBytes = 0;
    if (wasAnswered || bytes < FEWEST_BYTES) return;
    if (isBatch) this.#bytes.refused(bytes);
    else this.#suspect(bytes);
  }

  /**
   * The answer to several reads was longer than the client accepts, and has ended a connection. From
   * now on, each read leaves by itself: for a minute at first, and twice as long each time.
   */
  tooLong(): void {
    const now = performance.now();
    if (now < this.#readsAloneUntil) return;
    this.#readsAloneUntil = now + this.#readsAloneMs;
    this.#readsAloneMs *= 2;
  }

  /** Why a request must not be sent. */
  refusal(bytes: number): Error | undefined {
    if (bytes < this.#suspectBytes || performance.now() >= this.#refusedUntil) return undefined;
    return new Error(
      `A request of ${bytes} bytes was not sent: the servers closed the connection ${this.#cuts} times after one of ${this.#suspectBytes} bytes. Raise jute.maxbuffer on the servers (a Java system property, 1048575 bytes by default), or use shorter keys, labels and data.`,
    );
  }

  #suspect(bytes: number): void {
    this.#suspectBytes = Math.min(this.#suspectBytes, bytes);
    if (++this.#cuts >= MOST_CUTS) this.#refusedUntil = performance.now() + NEWS_MS;
  }
}
