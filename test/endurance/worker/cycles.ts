import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { currentLock, currentPermit, Locked, type LockService, WithPermit } from 'nestjs-zk-lock';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A service like that of an application. */
@Injectable()
export class JobService {
  @Locked('job:{0}')
  async run(_task: number): Promise<bigint> {
    return Promise.resolve(currentLock().fencingToken);
  }

  @WithPermit('jobs', { permits: 4 })
  async queue(): Promise<boolean> {
    return Promise.resolve(currentPermit().isHeld);
  }
}

/** The tools of a cycle. */
export interface Workshop {
  readonly locks: LockService;
  readonly jobs: JobService;
  /** A caller's signal that lives as long as the run, passed to every call that takes one. */
  readonly signal: AbortSignal;
  /** Runs a function in the async context that holds {@link STANDING}. */
  readonly withinStanding: <T>(fn: () => T) => T;
}

/** Held while all other locks come and go. Nested calls join it again and again. */
export const STANDING = 'standing';

/** Acquires and releases something. `own` is a key that no other task uses. */
type Cycle = (
  workshop: Workshop,
  own: string,
  random: (bound: number) => number,
) => Promise<unknown>;

const waiting = { timeoutMs: 60_000 };

/** Registers a listener on a lock's signal that is never removed, as users do. */
function listen({ signal }: { readonly signal: AbortSignal }): void {
  signal.addEventListener('abort', () => undefined, { once: true });
}

/** Expects a failure with one of these codes, and passes on any other failure. */
async function expectCode(failing: Promise<unknown>, ...codes: string[]): Promise<void> {
  const error = await failing.then(
    () => new Error(`something was granted that should have failed with ${codes.join(' or ')}`),
    (reason: unknown) => reason as Error & { code?: string },
  );
  if (!('code' in error && codes.includes(error.code ?? ''))) throw error;
}

let inPrevious = <T>(fn: () => T): T => fn();

const CYCLES = {
  async acquires({ locks, signal }, own) {
    const lock = await locks.acquire(own, { signal });
    listen(lock);
    lock.revoked.addEventListener('abort', () => undefined);
    await lock.release();
  },

  contends: ({ locks, signal }, _own, random) =>
    locks.withLock(`contended-${random(8)}`, { signal, ...waiting }, listen),

  async reads({ locks, signal }, _own, random) {
    const key = `contended-${random(8)}`;
    await using lock = await locks.acquire(key, { mode: 'read', signal, ...waiting });
    listen(lock);
  },

  nests: ({ locks, signal }, own) =>
    locks.withLock(own, { signal }, async (lock) => {
      await locks.withLock(own, { signal }, () => currentLock().assertHeld());
      await using inner = await locks.acquire(own, { mode: 'read', signal });
      listen(inner);
      lock.assertHeld();
    }),

  /** A reader that outlives the writer around it. */
  async downgrades({ locks, signal }, own) {
    const reader = await locks.withLock(own, { signal }, () =>
      locks.acquire(own, { mode: 'read', signal }),
    );
    listen(reader);
    await reader.release();
  },

  /** The timeout is too short to get a lock that is held, and perhaps to get an answer. */
  async timesOut({ locks, signal }, own) {
    await using _held = await locks.acquire(own, { signal });
    const refused = locks.acquire(own, { signal, timeoutMs: 3 });
    await expectCode(refused, 'LOCK_TIMEOUT', 'ZK_UNAVAILABLE');
    if (await locks.tryAcquire(own, { signal })) throw new Error('a held lock was granted');
  },

  async aborts({ locks }, own) {
    const controller = new AbortController();
    await using _held = await locks.acquire(own);
    const refused = locks.acquire(own, { signal: controller.signal });
    await nextTurn();
    controller.abort();
    await expectCode(refused, 'LOCK_ABORTED');
  },

  takesSeveral: ({ locks, signal }, own, random) =>
    locks.withLocks([own, `contended-${random(8)}`], { signal, ...waiting }, listen),

  joinsStanding: ({ locks, signal, withinStanding }, own) =>
    withinStanding(async () => {
      await using several = await locks.acquireAll([STANDING, own], { signal });
      listen(several);
      await locks.withLock(STANDING, { signal }, () => currentLock().assertHeld());
    }),

  runs: ({ jobs }, _own, random) => jobs.run(random(8)),

  queues: ({ jobs }) => jobs.queue(),

  /** Starts itself again from inside its own section, indefinitely. */
  chains: ({ locks, signal }, own) =>
    inPrevious(() =>
      locks.withLock(own, { signal }, () => {
        inPrevious = AsyncLocalStorage.snapshot();
      }),
    ),

  async observes({ locks }, own) {
    const seen: string[] = [];
    const subscription = locks.session.state$.subscribe(({ name }) => seen.push(name));
    await using _held = await locks.acquire(own, { label: 'observed' });
    const { holders } = await locks.inspect(own);
    subscription.unsubscribe();
    if (holders.length !== 1 || seen.length === 0) throw new Error('the holder is not seen');
  },

  async leads({ locks, signal }, own) {
    await using election = locks.election(own);
    const subscription = election.term$.subscribe(() => undefined);
    listen(await election.whenLeader({ signal }));
    await election.asLeader(listen);
    subscription.unsubscribe();
  },

  async takesPermits({ locks, signal }, own, random) {
    const semaphore = locks.semaphore(`${own}-permits`, { permits: 3 });
    await using permit = await semaphore.acquire({ take: 1 + random(3), signal });
    listen(permit);
  },

  contendsForPermits: ({ locks, signal }, _own, random) =>
    locks
      .semaphore(`permits-${random(4)}`, { permits: 4 })
      .withPermit({ signal, ...waiting }, listen),

  upgrades: ({ locks, signal }, own) =>
    locks.withUpgradableLock(own, { signal }, async (lock) => {
      listen(lock);
      await using writing = await lock.upgrade({ signal });
      listen(writing);
    }),
} satisfies Readonly<Record<string, Cycle>>;

const ALL: readonly Cycle[] = Object.values(CYCLES);
const { acquires, contends, reads, takesPermits, upgrades } = CYCLES;
/** Seven of eight cycles are of these kinds: V8 keeps creating objects for the others for long. */
const COMMON: readonly Cycle[] = [acquires, contends, reads, takesPermits, upgrades];

/** Runs cycles of all kinds, in an order drawn from the seed. */
export class Cycles {
  readonly #random: (bound: number) => number;

  constructor(
    private readonly workshop: Workshop,
    seed: number,
    private readonly tasks: number,
  ) {
    const generator = xoroshiro128plus(seed);
    this.#random = (bound) => uniformInt(generator, 0, bound - 1);
  }

  /** Makes each task run each cycle once, so that no key is used for the first time after that. */
  async runEach(): Promise<void> {
    await this.#byEachTask(async (own) => {
      for (const cycle of ALL) await cycle(this.workshop, own, this.#random);
    });
  }

  /** Runs this many cycles, with several tasks at once. */
  async run(count: number): Promise<void> {
    let left = count;
    await this.#byEachTask(async (own) => {
      while (left-- > 0) {
        const cycles = this.#random(8) > 0 ? COMMON : ALL;
        await cycles[this.#random(cycles.length)]!(this.workshop, own, this.#random);
      }
    });
  }

  async #byEachTask(work: (own: string) => Promise<void>): Promise<void> {
    await Promise.all(Array.from({ length: this.tasks }, (_, task) => work(`own-${task}`)));
  }
}
