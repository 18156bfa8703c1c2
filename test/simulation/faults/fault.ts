import type { FaultPlan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';

/** Begins a fault, which ends by itself after its time, or when the stage heals. */
export type Fault = (stage: Stage, plan: FaultPlan) => void;

/** One of several, by a number that was drawn before it was known how many there are. */
export function pick<T>(things: readonly T[], place: number): T | undefined {
  return things[place % Math.max(things.length, 1)];
}
