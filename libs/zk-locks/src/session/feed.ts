import { callAll } from './call-all.js';

interface Listener<T> {
  readonly onValue: (value: T) => void;
  readonly onEnd: () => void;
}

/**
 * A value that changes, told to listeners: to all in the same order, also where one of them changes it
 * by what it does on hearing of it.
 */
export class Feed<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly #untold: T[] = [];
  #told: T;
  #hasEnded = false;
  #isTelling = false;

  constructor(value: T) {
    this.#told = value;
  }

  /**
   * `onValue` hears the present value before this returns, and then each later one; `onEnd` the end.
   *
   * @returns what stops it
   */
  subscribe(onValue: (value: T) => void, onEnd: () => void = () => undefined): () => void {
    if (this.#hasEnded && !this.#isTelling) {
      callAll([onEnd]);
      return () => undefined;
    }
    const listener = { onValue, onEnd };
    this.#listeners.add(listener);
    callAll([() => onValue(this.#told)]);
    return () => void this.#listeners.delete(listener);
  }

  tell(value: T): void {
    this.#untold.push(value);
    this.#flush();
  }

  /** Nothing more is told, but what stands in line. */
  end(): void {
    this.#hasEnded = true;
    this.#flush();
  }

  #flush(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#untold.length > 0) {
      const value = this.#untold.shift() as T;
      this.#told = value;
      this.#callEach(({ onValue }) => onValue(value));
    }
    this.#isTelling = false;
    if (!this.#hasEnded) return;
    this.#callEach(({ onEnd }) => onEnd());
    this.#listeners.clear();
  }

  /** Those that listen now, but for those that stop in the course of it. */
  #callEach(call: (listener: Listener<T>) => void): void {
    callAll(
      Array.from(this.#listeners, (listener) => () => {
        if (this.#listeners.has(listener)) call(listener);
      }),
    );
  }
}
