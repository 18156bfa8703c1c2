import type { Socket } from 'node:net';

/** The bytes to pass on for a piece that came in; undefined for none. */
export type Inspect = (bytes: Buffer) => Buffer | undefined;

/** An item in transit: bytes, the end of the stream, or a reset of the connection. */
type Parcel = Buffer | 'end' | 'reset';

/** One direction of a connection, in order. It can be delayed and frozen. */
export class RelayFlow {
  readonly #waiting: { readonly parcel: Parcel; readonly dueAt: number }[] = [];
  #inspect: Inspect = (bytes) => bytes;
  #frozen = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    from: Socket,
    private readonly to: Socket,
    private readonly delayMs: () => number,
    onBytes: (count: number) => void,
  ) {
    from.on('data', (bytes) => {
      onBytes(bytes.length);
      const passed = this.#inspect(bytes);
      if (passed) this.#push(passed);
    });
    from.on('end', () => {
      this.#push('end');
    });
    from.on('error', () => {
      this.#push('reset');
    });
  }

  /** Sees every piece before it is passed on, and decides what to pass on. */
  inspectWith(inspect: Inspect): void {
    this.#inspect = inspect;
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    this.#pump();
  }

  /** Discards everything in transit. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #push(parcel: Parcel): void {
    const before = this.#waiting.at(-1)?.dueAt ?? 0;
    this.#waiting.push({ parcel, dueAt: Math.max(before, performance.now() + this.delayMs()) });
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    for (;;) {
      const next = this.#waiting[0];
      if (!next || this.#frozen || this.to.destroyed) return;
      const early = next.dueAt - performance.now();
      if (early > 0) {
        this.#timer = setTimeout(() => {
          this.#pump();
        }, Math.ceil(early));
        return;
      }
      this.#waiting.shift();
      if (next.parcel === 'end') this.to.end();
      else if (next.parcel === 'reset') this.to.resetAndDestroy();
      else this.to.write(next.parcel);
    }
  }
}
