import { LockLostError, NotLeaderError } from 'zk-locks';
import { waitResultOf } from 'zk-locks/framework';

/** What has become of the calls of one decorated method, in this process. */
export interface Outcomes {
  readonly calls: number;
  readonly waiting: number;
  readonly running: number;
  /** Calls in which the method ran. */
  readonly ran: number;
  /** Calls whose result `onBusy` or `onFollower` provided. */
  readonly skipped: number;
  readonly failed: number;
  readonly lost: number;
  /** Calls that failed, by reason. */
  readonly failures: Readonly<Record<string, number>>;
}

type Counts = Record<Exclude<keyof Outcomes, 'failures'>, number>;

const NOTHING: Counts = {
  calls: 0,
  waiting: 0,
  running: 0,
  ran: 0,
  skipped: 0,
  failed: 0,
  lost: 0,
};

/** One call, until it ends in one of four ways. */
export interface CountedCall {
  /** Whether the method has begun to run. */
  readonly hasRun: boolean;
  /** The method runs, and holds its lock. */
  runs(): void;
  ends(): void;
  skips(): void;
  fails(error: unknown): void;
}

/** Counts what becomes of the calls of decorated methods. */
export class MethodOutcomes {
  readonly #counts = new Map<object, Counts>();
  readonly #failures = new Map<object, Map<string, number>>();

  /** @param definition that of the decorator */
  of(definition: object): Outcomes {
    const failures = Object.fromEntries(this.#failures.get(definition) ?? []);
    return { ...NOTHING, ...this.#counts.get(definition), failures };
  }

  /** A call of the method has begun. */
  begin(definition: object): CountedCall {
    const counts = this.#counts.get(definition) ?? { ...NOTHING };
    this.#counts.set(definition, counts);
    counts.calls++;
    counts.waiting++;
    let phase: 'waiting' | 'running' = 'waiting';
    const leave = (): void => {
      counts[phase]--;
    };
    return {
      get hasRun() {
        return phase === 'running';
      },
      runs() {
        leave();
        phase = 'running';
        counts.running++;
        counts.ran++;
      },
      ends: leave,
      skips() {
        leave();
        counts.skipped++;
      },
      fails: (error) => {
        leave();
        if (error instanceof LockLostError) {
          counts.lost++;
          return;
        }
        counts.failed++;
        const failures = this.#failures.get(definition) ?? new Map<string, number>();
        this.#failures.set(definition, failures);
        const reason = phase === 'running' ? 'own error' : reasonNotToRun(error);
        failures.set(reason, (failures.get(reason) ?? 0) + 1);
      },
    };
  }
}

function reasonNotToRun(error: unknown): string {
  return error instanceof NotLeaderError ? 'not the leader' : waitResultOf(error);
}
