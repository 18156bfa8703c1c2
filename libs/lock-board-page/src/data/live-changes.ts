import type { BoardState } from '../state/board-state.js';

/** Interval of polls without a stream of changes. */
const POLL_MS = 2_000;
/** The same beside an open stream, since a proxy may hold the stream back. */
const POLL_BESIDE_STREAM_MS = 10_000;

export interface ChangeListener {
  /** Called when the data have changed, or may have changed. */
  changed(): void;
  linkChanged(link: BoardState['link']): void;
}

/** Decides when to fetch again: on events of the server's stream, or by polling without one. */
export class LiveChanges {
  #stream: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly address: URL,
    private readonly listener: ChangeListener,
  ) {}

  /** A hidden page closes its stream, so that the board can end its session. */
  followVisibility(): void {
    document.addEventListener('visibilitychange', () => this.#toggle());
    this.#toggle();
  }

  #toggle(): void {
    this.#close();
    if (document.hidden) return;
    this.#open();
    this.listener.changed();
  }

  #open(): void {
    const stream = new EventSource(this.address);
    this.#stream = stream;
    stream.onopen = () => {
      this.listener.linkChanged('live');
      // The stream does not report earlier changes.
      this.listener.changed();
      this.#poll();
    };
    stream.onmessage = () => this.listener.changed();
    stream.onerror = () => {
      this.listener.linkChanged('polling');
      this.listener.changed();
      this.#poll();
    };
    this.#poll();
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = undefined;
    clearTimeout(this.#timer);
  }

  #poll(): void {
    clearTimeout(this.#timer);
    const isOpen = this.#stream?.readyState === EventSource.OPEN;
    this.#timer = setTimeout(
      () => {
        this.listener.changed();
        // The browser does not reconnect a stream that was refused.
        if (this.#stream?.readyState === EventSource.CLOSED) this.#open();
        else this.#poll();
      },
      isOpen ? POLL_BESIDE_STREAM_MS : POLL_MS,
    );
  }
}
