import type { FaultPlan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';

/** Begins a fault. It ends after its duration, or when the stage heals. */
export type Fault = (stage: Stage, plan: FaultPlan) => void;

/** Selects one of several things by a number that was drawn before their count was known. */
export function pick<T>(things: readonly T[], place: number): T | undefined {
  return things[place % Math.max(things.length, 1)];
}
