import { LockLostError, NotLeaderError } from 'zk-locks';
import { waitResultOf } from 'zk-locks/framework';

/** The outcomes of the calls of one decorated method, in this process. */
export interface Outcomes {
  calls: number;
  waiting: number;
  running: number;
  /** Calls in which the method ran. */
  ran: number;
  /** Calls that did not run the method, because of `onBusy`, `onFollower` or `atMostEveryMs`. */
  skipped: number;
  failed: number;
  lost: number;
  /** Calls that failed, by reason. */
  readonly failures: Record<string, number>;
}

const newOutcomes = (): Outcomes => ({
  ...{ calls: 0, waiting: 0, running: 0, ran: 0, skipped: 0, failed: 0, lost: 0 },
  failures: {},
});

/** Counts the outcomes of calls of decorated methods. */
export class MethodOutcomes {
  readonly #outcomes = new Map<object, Outcomes>();

  /** @param definition the decorator's definition */
  of(definition: object): Readonly<Outcomes> {
    return this.#outcomes.get(definition) ?? newOutcomes();
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
    const counts = this.#outcomes.get(definition) ?? newOutcomes();
    this.#outcomes.set(definition, counts);
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
        const reason = phase === 'running' ? 'own error' : reasonNotToRun(error);
        counts.failures[reason] = (counts.failures[reason] ?? 0) + 1;
      }
      throw error;
    }
  }
}

function reasonNotToRun(error: unknown): string {
  return error instanceof NotLeaderError ? 'not the leader' : waitResultOf(error);
}
