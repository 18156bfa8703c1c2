import { AsyncResource } from 'node:async_hooks';
import {
  defer,
  from,
  fromEvent,
  isObservable,
  Observable,
  type ObservableInput,
  of,
  type Subscriber,
  takeUntil,
  tap,
} from 'rxjs';
import { LockReleasedError } from 'zk-locks';
import { LinkedSignal } from 'zk-locks/framework';
import type { Held } from './definition.js';

type Guard<H extends Held> = (
  signal: AbortSignal,
  section: (held: H) => Promise<void>,
  instead: (answer: unknown) => Promise<void>,
) => Promise<void>;

/**
 * An Observable that acquires a lock or permits when it is subscribed to, and holds them until its
 * source completes, fails or is unsubscribed from. It ends after the release, and fails if its
 * caller's leaving has cut it short.
 *
 * @param guard runs a section while they are held, and stops waiting for them when the signal
 * aborts; or passes on the result provided instead if they are busy
 * @param run creates the source
 * @param callers aborts when no caller is waiting any longer, which also ends the source
 */
export function streamWhileHeld<H extends Held>(
  guard: Guard<H>,
  run: (held: H) => ObservableInput<unknown>,
  callers: AbortSignal | undefined,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const relay = new Relay(subscriber, endOf(subscriber, callers));
    const section = (held: H): Promise<void> => {
      const source = defer(() => run(held));
      return relay.passOn(whileHeld(source, held));
    };
    const instead = async (answer: unknown): Promise<void> => {
      if (isObservable(answer)) await relay.passOn(from(answer));
      else if (answer !== undefined) subscriber.next(answer);
    };
    relay.endWith(guard(relay.end, section, instead));
  });
}

/**
 * Hands an Observable out of the section that holds something. `over` settles when the stream has
 * ended; the lock can then be released. `signal` ends it, even without a subscriber.
 *
 * @param guarded the section, which ends after `over` and the release
 */
export function handOver(
  source: Observable<unknown>,
  held: Held,
  guarded: () => Promise<unknown>,
  signal: AbortSignal,
): { stream: Observable<unknown>; over: Promise<void> } {
  // Nest subscribes in a context of its own, which has neither the lock nor the caller's store.
  const here = new AsyncResource('LockedStream');
  let taken = false;
  let stream!: Observable<unknown>;
  const over = new Promise<void>((resolve, reject) => {
    stream = new Observable((subscriber) => {
      if (taken) throw new LockReleasedError(held.key, held.mode);
      taken = true;
      const relay = new Relay(subscriber, endOf(subscriber, signal));
      here.runInAsyncScope(() => relay.passOn(whileHeld(from(source), held))).then(resolve, reject);
      relay.endWith(guarded());
    });
    abortOf(signal).subscribe(() => {
      resolve();
    });
  });
  return { stream, over };
}

/** Aborts when the subscriber or the caller has left. */
function endOf(subscriber: Subscriber<unknown>, callers: AbortSignal | undefined): AbortSignal {
  const end = new LinkedSignal(callers ? [callers] : []);
  subscriber.add(() => {
    end.abort();
  });
  return end.signal;
}

/** Stops a source, and fails, immediately when the signal aborts: the lock was lost, or the caller left. */
export function whileHeld(
  source: Observable<unknown>,
  { signal }: Pick<Held, 'signal'>,
): Observable<unknown> {
  const lost = abortOf(signal).pipe(
    tap(() => {
      signal.throwIfAborted();
    }),
  );
  return source.pipe(takeUntil(lost));
}

function abortOf(signal: AbortSignal): Observable<unknown> {
  return signal.aborted ? of(undefined) : fromEvent(signal, 'abort');
}

/** Passes a source's values on to a subscriber, which ends after the section of the source. */
class Relay {
  #isCut = false;

  /** @param end stops the source */
  constructor(
    private readonly subscriber: Subscriber<unknown>,
    readonly end: AbortSignal,
  ) {}

  async passOn(source: Observable<unknown>): Promise<void> {
    const cut = abortOf(this.end).pipe(tap(() => (this.#isCut = true)));
    await source.pipe(takeUntil(cut)).forEach((value) => {
      this.subscriber.next(value);
    });
  }

  endWith(guarded: Promise<unknown>): void {
    guarded.then(
      () => {
        // A subscriber that collects the values must not take a part for the whole.
        if (this.#isCut) this.subscriber.error(this.end.reason);
        else this.subscriber.complete();
      },
      (error: unknown) => {
        this.subscriber.error(error);
      },
    );
  }
}
