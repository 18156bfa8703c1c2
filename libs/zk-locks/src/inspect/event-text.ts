import { cleanText, shortAgeText } from 'zk-client/recipes';
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
      return `${held ? 'lost it' : 'lost its place'}${after}: broken by ${brokenBy ? nameProcess(brokenBy) : 'an operator'}`;
    case 'revoked':
      return 'was asked to release it';
  }
}
