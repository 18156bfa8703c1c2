import { callAll, inThisContext } from '../listeners.js';

interface Listener<T> {
  readonly onValue: (value: T) => void;
  readonly onEnd: () => void;
}

/**
 * A value that changes, with its listeners. All listeners get the same values in the same order,
 * even if a listener changes the value in its callback.
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
   * Calls `onValue` with the current value before this returns, and then with each later one, and
   * `onEnd` at the end, all in the async context of this call. After the end, it calls only `onEnd`.
   *
   * @returns a function that unsubscribes
   */
  subscribe(onValue: (value: T) => void, onEnd: () => void = () => undefined): () => void {
    if (this.#hasEnded && !this.#isTelling) {
      callAll([onEnd]);
      return () => undefined;
    }
    const listener = { onValue: inThisContext(onValue), onEnd: inThisContext(onEnd) };
    this.#listeners.add(listener);
    callAll([() => onValue(this.#told)]);
    return () => void this.#listeners.delete(listener);
  }

  tell(value: T): void {
    this.#untold.push(value);
    this.#flush();
  }

  /** Ends after the values that are still to be delivered. */
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

  /** Skips listeners that unsubscribe meanwhile. */
  #callEach(call: (listener: Listener<T>) => void): void {
    callAll(
      Array.from(this.#listeners, (listener) => () => {
        if (this.#listeners.has(listener)) call(listener);
      }),
    );
  }
}
