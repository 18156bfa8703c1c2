import { AsyncResource } from 'node:async_hooks';
import {
  from,
  isObservable,
  Observable,
  type ObservableInput,
  type Subscriber,
  Subscription,
  takeUntil,
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
 * source completes, fails or is unsubscribed from. It ends after the release.
 *
 * @param guard runs a section while they are held, and stops waiting for them when the signal
 * aborts; or passes on the result provided instead if they are busy
 * @param run creates the source
 * @param callers aborts when no caller is waiting any longer
 */
export function streamWhileHeld<H extends Held>(
  guard: Guard<H>,
  run: (held: H) => ObservableInput<unknown>,
  callers: AbortSignal | undefined,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const stop = new LinkedSignal(callers ? [callers] : []);
    const section = async (held: H): Promise<void> => {
      if (!subscriber.closed) await relay(from(run(held)), held, subscriber);
    };
    const instead = async (answer: unknown): Promise<void> => {
      if (isObservable(answer) && !subscriber.closed) await relay(answer, stop, subscriber);
      else if (answer !== undefined) subscriber.next(answer);
    };
    const guarded = guard(stop.signal, section, instead);
    endWith(guarded, subscriber);
    return () => {
      stop.abort();
    };
  });
}

/**
 * Hands an Observable out of the section that holds something. `over` settles when the stream has
 * ended, or when `signal` reports that there will be no subscriber; the lock can then be released.
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
      here.runInAsyncScope(() => relay(source, held, subscriber)).then(resolve, reject);
      endWith(guarded(), subscriber);
    });
    const giveUp = (): void => {
      if (!taken) resolve();
      taken = true;
    };
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
  return { stream, over };
}

/**
 * Passes on a source's values while the lock or permits are held. Settles when the source ends or
 * the last subscriber leaves. Rejects, and stops the source immediately, when they are lost.
 */
async function relay(
  source: Observable<unknown>,
  { signal }: Pick<Held, 'signal'>,
  subscriber: Subscriber<unknown>,
): Promise<void> {
  signal.throwIfAborted();
  const subscription = new Subscription();
  const ended = new Promise<void>((resolve, reject) => {
    const onLost = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onLost, { once: true });
    subscription.add(() => {
      signal.removeEventListener('abort', onLost);
    });
    // This stops a source that emits without a pause, before `subscription` is assigned.
    const left = new Observable<void>((told) => {
      subscriber.add(() => {
        told.next();
      });
    });
    subscription.add(
      from(source)
        .pipe(takeUntil(left))
        .subscribe({
          next: (value) => {
            subscriber.next(value);
          },
          error: reject,
          complete: resolve,
        }),
    );
  });
  try {
    await ended;
  } finally {
    subscription.unsubscribe();
  }
}

function endWith(guarded: Promise<unknown>, subscriber: Subscriber<unknown>): void {
  guarded.then(
    () => {
      subscriber.complete();
    },
    (error: unknown) => {
      subscriber.error(error);
    },
  );
}
