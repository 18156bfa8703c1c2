import { machineTime, type Journal } from './journal.js';
import type { LockKind } from './protocol.js';
import type { Random } from './random.js';

/** The options of a call that limit its wait. */
export interface Patience {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A wait for a lock, recorded in the journal when it begins and when it ends. */
export class Question {
  readonly how: Patience;
  readonly wait: number;
  /** The timeout after which the task gives up. */
  readonly patienceMs: number | undefined;
  #answered = false;

  constructor(
    private readonly journal: Journal,
    kind: LockKind,
    key: string,
    random: Random,
  ) {
    // Read before the timeout begins.
    const at = machineTime();
    this.wait = journal.nextNumber();
    const patienceMs = pickPatience(random);
    this.patienceMs = patienceMs;
    this.how = patienceMs === undefined ? { timeoutMs: Infinity } : howFor(patienceMs, random);
    const patience = patienceMs === undefined ? {} : { patienceMs };
    journal.note({ type: 'asked', wait: this.wait, kind, key, ...patience, at });
  }

  granted(): void {
    this.#answer('granted');
  }

  /** @throws the error again if the wait had already ended, or the error has no code */
  refused(error: unknown): void {
    const { code, message } = error as Partial<Record<'code' | 'message', string>>;
    if (this.#answered || code === undefined) throw error;
    this.#answer(code, message);
  }

  #answer(outcome: string, message?: string): void {
    this.#answered = true;
    const text = message === undefined ? {} : { message };
    this.journal.note({
      ...{ type: 'answered', wait: this.wait, outcome },
      ...text,
      at: machineTime(),
    });
  }
}

/** Most calls wait without a limit, some do not wait, and some time out. */
function pickPatience(random: Random): number | undefined {
  const percent = random.between(1, 100);
  if (percent <= 65) return undefined;
  return percent <= 75 ? 0 : random.between(20, 1_500);
}

function howFor(patienceMs: number, random: Random): Patience {
  if (patienceMs === 0 || random.chance(60)) return { timeoutMs: patienceMs };
  return { timeoutMs: Infinity, signal: AbortSignal.timeout(patienceMs) };
}
