import { ageText, cleanText } from 'zk-client/recipes';
import { nameProcess } from '../process-name.js';
import type { PastEvent } from './history.js';

/** Describes an event, as the end of a sentence about its contender, with the same words in all tools. */
export function describeEvent(event: PastEvent): string {
  return cleanText(wordsOf(event));
}

function wordsOf({ event, held, ms, brokenBy }: PastEvent): string {
  const after = ms === undefined ? '' : ` after ${shortAgeText(ms)}`;
  switch (event) {
    case 'asked':
      return 'asked for it';
    case 'granted':
      return ms === 0 ? 'got it at once' : `got it${after}`;
    case 'released':
      return `released it${after}`;
    case 'gave-up':
      return `gave up${after}`;
    case 'session-ended':
      return `${held ? 'lost it' : 'left the queue'}${after}: its session ended`;
    case 'gone':
      return `${held ? 'released it' : 'gave up'}${after}, or its session ended`;
    case 'broken':
      return `lost it${after}: broken by ${brokenBy ? nameProcess(brokenBy) : 'an operator'}`;
    case 'revoked':
      return 'was asked to release it';
  }
}

/** `120 ms`, `3.4 s`, and from ten seconds on as `ageText`. */
function shortAgeText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 10_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : ageText(ms);
}
