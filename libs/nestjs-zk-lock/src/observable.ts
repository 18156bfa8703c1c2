import { Observable } from 'rxjs';
import type {
  LeaderElection as PlainElection,
  LeaderTerm,
  LockSession as PlainSession,
  SessionSnapshot,
  SessionState,
} from 'zk-locks';
import { LeaderElection as Election } from 'zk-locks/framework';

/**
 * A view of the ZooKeeper session behind the locks.
 *
 * @publicApi
 */
export interface LockSession extends PlainSession {
  /** Emits the session's current state, and then every change. */
  readonly state$: Observable<SessionState>;
}

/**
 * An election of one leader among all participating replicas.
 *
 * @publicApi
 */
export interface LeaderElection extends PlainElection {
  /** Emits this process's current term, and then every change. Completes with `close()`. */
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

/** @param listen starts listening and returns a function that stops it */
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
