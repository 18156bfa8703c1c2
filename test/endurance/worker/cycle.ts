import type { LockService } from 'nestjs-zk-lock';
import type { JobService } from './job.service.js';
import type { Standing } from './standing.js';

/** The number of keys that tasks compete for. */
const CONTENDED_KEYS = 8;

/** What a cycle works with. */
export interface Workshop {
  readonly locks: LockService;
  readonly jobs: JobService;
  /** What is held as long as the run lasts. */
  readonly standing: Standing;
  /** A caller's signal that lives as long as the run, passed to every call that takes one. */
  readonly signal: AbortSignal;
  /** A number from 0 to below `bound`. */
  readonly random: (bound: number) => number;
}

/** Takes something, and gives it back. `own` is a key that no other task uses. */
export type Cycle = (workshop: Workshop, own: string) => Promise<void>;

/** A cycle, and how often it is chosen among the others of its kind. */
export type Weighted = readonly [weight: number, cycle: Cycle];

/** A key that several tasks fight for. */
export const contended = ({ random }: Workshop): string => `contended-${random(CONTENDED_KEYS)}`;

/** As users write it: the listener on a lock's signal is never removed. */
export function listen({ signal }: { readonly signal: AbortSignal }): void {
  signal.addEventListener('abort', () => undefined, { once: true });
}

/** Runs what must fail, and passes on any other failure than those. */
export async function expectCode(failing: Promise<unknown>, ...codes: string[]): Promise<void> {
  try {
    await failing;
  } catch (error) {
    if (codes.includes((error as { code?: string }).code ?? '')) return;
    throw error;
  }
  throw new Error(`something was granted that should have failed with ${codes.join(' or ')}`);
}
