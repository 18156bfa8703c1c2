import { type InLine, Line } from '../listeners.js';
import type { Wait } from '../session/wait.js';

/** The bytes of a request or response that are not node data. */
export const OVERHEAD_BYTES = 128;

/** The maximum number of requests before a proof that the session lives. */
const MOST_REQUESTS = 16;
const MOST_BYTES = 1_048_576;

/** The assumed size of the answer to a read, until answers have arrived. */
const FIRST_ANSWER_BYTES = 65_536;
/** How fast a long answer is forgotten: with each shorter one. */
const FADING = 0.75;

/** A call that waits for its place. */
class Place implements InLine<Place> {
  previous: Place | undefined;
  next: Place | undefined;
  isAdmitted = false;
  admit!: () => void;
  readonly admitted = new Promise<void>((resolve) => (this.admit = resolve));

  constructor(
    public bytes: number,
    readonly readsData: boolean,
  ) {}
}

/**
 * Limits how much users have in flight at a time: requests are executed and answered in order, and
 * the proofs that keep the session alive are among them. Other calls wait in this process, first
 * come, first served.
 */
export class Traffic {
  readonly #line = new Line<Place>();
  #requests = 0;
  #bytes = 0;
  #answerBytes = FIRST_ANSWER_BYTES;

  /** The number of calls that wait for their place. */
  get waiting(): number {
    return this.#line.length;
  }

  /** Called when a read of data was answered. */
  answered(bytes: number): void {
    this.#answerBytes = Math.ceil(Math.max(bytes, this.#answerBytes * FADING));
  }

  /**
   * @param readsData whether an answer is expected that is as long as the latest ones
   * @returns the bytes to give back
   * @throws the error of `wait` if that ends first; the place is then given back
   */
  async enter(bytes: number, wait?: Wait, readsData = false): Promise<number> {
    const place = new Place(bytes, readsData);
    this.#line.join(place);
    // Also where there is room: otherwise, it would be ahead of calls that have just been admitted.
    this.#admit();
    try {
      await (wait ? wait.for(place.admitted) : place.admitted);
    } catch (error) {
      if (place.isAdmitted) this.leave(place.bytes);
      else this.#line.leave(place);
      throw error;
    }
    return place.bytes;
  }

  /** To be called for each call that has entered, when none of its requests is in progress. */
  leave(bytes: number): void {
    this.#requests--;
    this.#bytes -= bytes;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#line.head; next; next = this.#line.head) {
      // Not before: a call may have waited while answers came.
      const bytes = next.bytes + (next.readsData ? this.#answerBytes : 0);
      if (!this.#hasRoomFor(bytes)) return;
      this.#line.leave(next);
      this.#requests++;
      this.#bytes += bytes;
      next.bytes = bytes;
      next.isAdmitted = true;
      next.admit();
    }
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#requests === 0) return true;
    return this.#requests < MOST_REQUESTS && this.#bytes + bytes <= MOST_BYTES;
  }
}
