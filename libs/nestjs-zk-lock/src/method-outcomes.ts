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

/** Counts what becomes of the calls of decorated methods. */
export class MethodOutcomes {
  readonly #counts = new Map<object, Counts>();
  readonly #failures = new Map<object, Map<string, number>>();

  /** @param definition that of the decorator */
  of(definition: object): Outcomes {
    const failures = Object.fromEntries(this.#failures.get(definition) ?? []);
    return { ...NOTHING, ...this.#counts.get(definition), failures };
  }

  /**
   * Runs one call of a method.
   *
   * @param run calls `onRun` when the method begins to run, and holds its lock
   * @param insteadOf receives the error of a call whose method has not run, and returns what
   * provides the result instead; undefined if the call fails
   */
  async count<T>(
    definition: object,
    run: (onRun: () => void) => Promise<T>,
    insteadOf: (error: unknown) => (() => Promise<T>) | undefined,
  ): Promise<T> {
    const counts = this.#counts.get(definition) ?? { ...NOTHING };
    this.#counts.set(definition, counts);
    counts.calls++;
    counts.waiting++;
    let phase = 'waiting' as 'waiting' | 'running';
    const onRun = (): void => {
      counts.waiting--;
      phase = 'running';
      counts.running++;
      counts.ran++;
    };
    try {
      const result = await run(onRun);
      counts[phase]--;
      return result;
    } catch (error) {
      counts[phase]--;
      const instead = phase === 'waiting' ? insteadOf(error) : undefined;
      if (instead) {
        counts.skipped++;
        return instead();
      }
      if (error instanceof LockLostError) counts.lost++;
      else {
        counts.failed++;
        this.#addFailure(definition, phase === 'running' ? 'own error' : reasonNotToRun(error));
      }
      throw error;
    }
  }

  #addFailure(definition: object, reason: string): void {
    const failures = this.#failures.get(definition) ?? new Map<string, number>();
    this.#failures.set(definition, failures.set(reason, (failures.get(reason) ?? 0) + 1));
  }
}

function reasonNotToRun(error: unknown): string {
  return error instanceof NotLeaderError ? 'not the leader' : waitResultOf(error);
}
