import { getEventListeners } from 'node:events';
import {
  firstValueFrom,
  lastValueFrom,
  NEVER,
  Observable,
  of,
  range,
  Subject,
  tap,
  throwError,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type Lock, LockLostError, LockReleasedError } from 'zk-locks';
import { handOver, streamWhileHeld } from './guarded-stream.js';

/** A section that holds a lock, which the test can take away. */
class Section {
  readonly loss = new AbortController();
  readonly lock = { key: 'key', mode: 'write', signal: this.loss.signal } as Lock;
  isHeld = false;

  readonly guard = async (
    _signal: AbortSignal,
    section: (lock: Lock) => Promise<void>,
  ): Promise<void> => {
    this.isHeld = true;
    try {
      await section(this.lock);
    } finally {
      this.isHeld = false;
    }
  };

  lose(): void {
    this.loss.abort(new LockLostError('key', 'write', 'lease-expired'));
  }
}

interface Cuttable {
  readonly section: Section;
  readonly caller: AbortController;
  readonly stream: Observable<unknown>;
  readonly source: Subject<unknown>;
}

/** Expects that the caller's leaving stops the source, and that the stream fails after the release. */
async function expectCut({ section, caller, stream, source }: Cuttable): Promise<void> {
  const end = lastValueFrom(stream).catch((error: unknown) => [error, section.isHeld]);
  source.next('a part');
  expect(source.observed).toBe(true);
  caller.abort();
  expect(source.observed).toBe(false);
  expect(await end).toEqual([caller.signal.reason, false]);
}

describe('an Observable that leaves the section which holds its lock', () => {
  function leave(source: Observable<unknown>) {
    const section = new Section();
    const caller = new AbortController();
    let stream!: Observable<unknown>;
    const guarded = section.guard(caller.signal, (lock) => {
      const handed = handOver(source, lock, () => guarded, caller.signal);
      stream = handed.stream;
      return handed.over;
    });
    guarded.catch(() => undefined);
    return { section, caller, stream, guarded };
  }

  it('releases the lock if it will have no subscriber, and runs no more', async () => {
    let isSubscribed = false;
    const source = new Observable(() => {
      isSubscribed = true;
    });
    const { caller, guarded, stream } = leave(source);
    caller.abort();
    await guarded;
    await expect(lastValueFrom(stream)).rejects.toBe(caller.signal.reason);
    expect(isSubscribed).toBe(false);
  });

  it('stops its source and fails, after the release, when its caller leaves', async () => {
    const source = new Subject();
    await expectCut({ ...leave(source), source });
  });

  it('stops a source that emits without a pause when its subscriber leaves', async () => {
    let emitted = 0;
    const { stream, guarded } = leave(range(0, 1_000).pipe(tap(() => emitted++)));
    expect(await firstValueFrom(stream)).toBe(0);
    await guarded;
    expect(emitted).toBe(1);
  });

  it('can be subscribed once', async () => {
    const { stream } = leave(NEVER);
    const subscription = stream.subscribe();
    await expect(lastValueFrom(stream)).rejects.toThrow(LockReleasedError);
    subscription.unsubscribe();
  });
});

describe('an Observable that takes a lock when it is subscribed', () => {
  it('does not run its source if the lock is granted too late', async () => {
    const section = new Section();
    let runs = 0;
    const subscription = streamWhileHeld(
      async (signal, inside) => {
        await Promise.resolve();
        await section.guard(signal, inside);
      },
      () => {
        runs++;
        return of(1);
      },
      undefined,
    ).subscribe();
    subscription.unsubscribe();
    await expect.poll(() => section.isHeld).toBe(false);
    expect(runs).toBe(0);
  });

  it('stops a source that emits without a pause when its subscriber leaves', async () => {
    let emitted = 0;
    const source = range(0, 1_000).pipe(tap(() => emitted++));
    const section = new Section();
    const stream = streamWhileHeld(section.guard, () => source, undefined);
    expect(await firstValueFrom(stream)).toBe(0);
    await expect.poll(() => section.isHeld).toBe(false);
    expect(emitted).toBe(1);
  });

  it('stops its source and fails, after the release, when its caller leaves', async () => {
    const section = new Section();
    const caller = new AbortController();
    const source = new Subject();
    const stream = streamWhileHeld(section.guard, () => source, caller.signal);
    await expectCut({ section, caller, stream, source });
  });

  it('is complete if its caller leaves only during the release', async () => {
    const section = new Section();
    const caller = new AbortController();
    const guard: typeof section.guard = async (signal, inside) => {
      await section.guard(signal, inside);
      caller.abort();
    };
    const stream = streamWhileHeld(guard, () => of('all'), caller.signal);
    expect(await lastValueFrom(stream)).toBe('all');
  });

  it('ends the wait when it is unsubscribed from, and when its caller is gone', () => {
    const signals: AbortSignal[] = [];
    const caller = new AbortController();
    const stream = streamWhileHeld(
      (signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
      () => NEVER,
      caller.signal,
    );
    stream.subscribe();
    stream.subscribe().unsubscribe();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    caller.abort();
    expect(signals[0]?.aborted).toBe(true);
  });

  it.each([
    ['it has completed', of(1)],
    ['it has failed', throwError(() => new Error('no'))],
    ['it was unsubscribed', NEVER],
  ])('leaves nothing on the caller’s signal once %s', async (_, source) => {
    const section = new Section();
    const { signal } = new AbortController();
    const stream = streamWhileHeld(section.guard, () => source, signal);
    const subscription = stream.subscribe({ error: () => undefined });
    await Promise.resolve();
    if (source === NEVER) subscription.unsubscribe();
    await expect.poll(() => section.isHeld).toBe(false);
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });
});
