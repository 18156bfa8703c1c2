const isWindows = process.platform === 'win32';

/** The signals that end a waiting process. */
export const ENDING: readonly NodeJS.Signals[] = isWindows
  ? ['SIGINT', 'SIGTERM', 'SIGBREAK']
  : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** The signals that zk-lock passes on to its command. */
export const PASSED_ON: readonly NodeJS.Signals[] = isWindows
  ? ENDING
  : [...ENDING, 'SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'];

/** The signals that would stop zk-lock, which could then not keep its lock. */
export const STOPPING: readonly NodeJS.Signals[] = isWindows ? [] : ['SIGTSTP'];

/** The signals that this process gets. They end the wait or, once a command is running, go to the command. */
export class Signals implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: (readonly [NodeJS.Signals, () => void])[] = [];
  #passOn: ((signal: NodeJS.Signals) => void) | undefined;
  #first: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of PASSED_ON) this.#listen(signal, () => this.#on(signal));
  }

  /** Aborts at the first signal that ends a wait. */
  get interrupted(): AbortSignal {
    return this.#controller.signal;
  }

  /** The signal that ended the wait, or asks zk-lock to end with its command. */
  get first(): NodeJS.Signals | undefined {
    return this.#first;
  }

  /**
   * From now on, signals go to the command.
   *
   * @param onStopping called when this process is asked to stop
   * @returns a function that makes them end a wait again
   */
  passOn(to: (signal: NodeJS.Signals) => void, onStopping: () => void): () => void {
    for (const signal of STOPPING) process.on(signal, onStopping);
    this.#passOn = to;
    return () => {
      for (const signal of STOPPING) process.off(signal, onStopping);
      this.#passOn = undefined;
    };
  }

  [Symbol.dispose](): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }

  #listen(signal: NodeJS.Signals, listener: () => void): void {
    process.on(signal, listener);
    this.#listeners.push([signal, listener]);
  }

  #on(signal: NodeJS.Signals): void {
    this.#passOn?.(signal);
    // If a loss ends the command before it obeys SIGTERM, no other command is started.
    if (this.#passOn ? signal === 'SIGTERM' : ENDING.includes(signal)) {
      this.#first ??= signal;
      this.#controller.abort();
    }
  }
}
