import { Observable } from 'rxjs';
import type {
  LeaderElection as PlainElection,
  LeaderTerm,
  LockSession as PlainSession,
  SessionSnapshot,
  SessionState,
} from 'zk-locks';
import { LeaderElection as Election } from 'zk-locks/internal';

/**
 * A view of the ZooKeeper session behind the locks.
 *
 * @publicApi
 */
export interface LockSession extends PlainSession {
  /** The session's state now, and every change of it. */
  readonly state$: Observable<SessionState>;
}

/**
 * The election of one leader among all replicas that take part.
 *
 * @publicApi
 */
export interface LeaderElection extends PlainElection {
  /** The term of this process now, and every change of it. Completes with `close()`. */
  readonly term$: Observable<LeaderTerm | undefined>;
}

export class ObservableSession implements LockSession {
  readonly #session: PlainSession;

  constructor(session: PlainSession) {
    this.#session = session;
  }

  get state$(): Observable<SessionState> {
    return observe((onState, onClosed) => this.onState(onState, onClosed));
  }

  get snapshot(): SessionSnapshot {
    return this.#session.snapshot;
  }

  onState(onState: (state: SessionState) => void, onClosed?: () => void): () => void {
    return this.#session.onState(onState, onClosed);
  }
}

export class ObservableElection extends Election implements LeaderElection {
  get term$(): Observable<LeaderTerm | undefined> {
    return observe((onTerm, onClosed) => this.onTerm(onTerm, onClosed));
  }
}

/** @param listen answers what stops it */
export function observe<T>(
  listen: (
    onValue: (value: T) => void,
    onEnd: () => void,
    onError: (error: unknown) => void,
  ) => () => void,
): Observable<T> {
  return new Observable((subscriber) =>
    listen(
      (value) => subscriber.next(value),
      () => subscriber.complete(),
      (error) => subscriber.error(error),
    ),
  );
}
