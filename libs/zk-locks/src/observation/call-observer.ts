import { channels, publish } from '../telemetry/channels.js';
import type { CallCounts, CallEvent, CallKind, WaitResult } from '../telemetry/events.js';
import {
  type GuardKind,
  LockAbortedError,
  type LockLostError,
  LockQueueFullError,
  LockServiceClosedError,
  LockTimeoutError,
  ZooKeeperUnavailableError,
} from '../lock-errors.js';

/** As much of a call as is told of it. */
export interface ObservedCall {
  readonly kind: CallKind;
  readonly mode: GuardKind;
  readonly key: string;
  readonly pattern?: string | undefined;
  readonly label?: string | undefined;
  readonly permits?: number | undefined;
  readonly timeoutMs: number;
}

/** What was granted to it. */
export interface ObservedGrant {
  readonly fencingToken: bigint;
  readonly isReleased: boolean;
  readonly loss: LockLostError | undefined;
  onSettled(listener: () => void): void;
}

type About = Omit<CallEvent, keyof CallCounts>;

let latestId = 0;

/** Tells whoever listens what becomes of the calls of one connection. */
export class CallObserver {
  constructor(
    private readonly connection: string,
    private readonly counts: () => CallCounts,
  ) {}

  /** Runs a wait for something to hold. */
  take<G extends ObservedGrant>(call: ObservedCall, take: () => Promise<G>): Promise<G> {
    return isAnybodyListening() ? this.#take(call, take) : take();
  }

  /** Runs a wait of somebody who holds it already. */
  wait<T>(call: ObservedCall, work: () => Promise<T>): Promise<T> {
    return isAnybodyListening() ? this.#wait(this.#describe(call), call, work) : work();
  }

  async #take<G extends ObservedGrant>(call: ObservedCall, take: () => Promise<G>): Promise<G> {
    const about = this.#describe(call);
    const beganAt = performance.now();
    const grant = await this.#wait(about, call, take);
    this.#hold(about, grant, performance.now() - beganAt);
    return grant;
  }

  async #wait<T>(about: About, { timeoutMs }: ObservedCall, work: () => Promise<T>): Promise<T> {
    const beganAt = performance.now();
    const end = (result: WaitResult, error?: unknown): void => {
      const durationMs = performance.now() - beganAt;
      publish('waitEnd', { ...about, timeoutMs, ...this.counts(), result, durationMs, error });
    };
    // Begun first, so that it is one of those that are counted.
    const working = work();
    publish('waitStart', { ...about, timeoutMs, ...this.counts() });
    try {
      const done = await working;
      end('granted');
      return done;
    } catch (error) {
      end(resultOf(error), error);
      throw error;
    }
  }

  #hold(about: About, grant: ObservedGrant, waitMs: number): void {
    const beganAt = performance.now();
    const isPermit = about.mode === 'permit';
    const fencingToken = isPermit ? undefined : grant.fencingToken;
    publish('holdStart', { ...about, ...this.counts(), fencingToken, waitMs });
    grant.onSettled(() => {
      const lossReason = grant.isReleased ? undefined : grant.loss?.reason;
      publish('holdEnd', {
        ...about,
        ...this.counts(),
        fencingToken,
        waitMs,
        result: lossReason === undefined ? 'released' : 'lost',
        durationMs: performance.now() - beganAt,
        lossReason,
      });
    });
  }

  #describe({ kind, mode, key, pattern, label, permits }: ObservedCall): About {
    const { connection } = this;
    return { connection, id: ++latestId, kind, mode, key, pattern, label, permits };
  }
}

function isAnybodyListening(): boolean {
  const { waitStart, waitEnd, holdStart, holdEnd } = channels;
  return (
    waitEnd.hasSubscribers ||
    holdEnd.hasSubscribers ||
    waitStart.hasSubscribers ||
    holdStart.hasSubscribers
  );
}

function resultOf(error: unknown): WaitResult {
  if (error instanceof LockTimeoutError) return error.timeoutMs === 0 ? 'busy' : 'timeout';
  if (error instanceof LockQueueFullError) return 'full';
  if (error instanceof LockAbortedError) return 'aborted';
  if (error instanceof ZooKeeperUnavailableError) return 'unavailable';
  return error instanceof LockServiceClosedError ? 'closed' : 'error';
}
