import { MAX_TIMER_MS } from 'zk-locks/internal';
import type { Check } from '../guarded/guarded.options.js';

const holdCheck =
  (range: string, isLongEnough: (ms: number) => boolean): Check =>
  (value) =>
    typeof value === 'number' && isLongEnough(value) && value <= MAX_TIMER_MS
      ? undefined
      : `is not a time in milliseconds, ${range} ${MAX_TIMER_MS}`;

export const checkMinHold = holdCheck('0 to', (ms) => ms >= 0);
export const checkMaxHold = holdCheck('more than 0 and up to', (ms) => ms > 0);
