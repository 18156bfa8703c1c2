import type { BoardState } from '../state/board-state.js';

/** Between two looks without having heard of a change. */
const POLL_MS = 2_000;
/** The same beside an open stream, which a proxy may hold back. */
const POLL_BESIDE_STREAM_MS = 10_000;

export interface ChangeListener {
  /** Something changed, or may have. */
  changed(): void;
  linkChanged(link: BoardState['link']): void;
}

/** Says when to look again: by the stream of changes, and by the clock where there is none. */
export class LiveChanges {
  #stream: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly address: URL,
    private readonly listener: ChangeListener,
  ) {}

  /** The board is connected to ZooKeeper only while somebody looks. */
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
      // What happened until now was not told.
      this.listener.changed();
      this.#poll();
    };
    stream.onmessage = () => this.listener.changed();
    stream.onerror = () => {
      this.listener.linkChanged('polling');
      this.listener.changed();
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
        // A refused stream does not come back by itself.
        if (this.#stream?.readyState === EventSource.CLOSED) this.#open();
        else this.#poll();
      },
      isOpen ? POLL_BESIDE_STREAM_MS : POLL_MS,
    );
  }
}
