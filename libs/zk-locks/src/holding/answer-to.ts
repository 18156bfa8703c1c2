import type { ReleaseMode } from '../lock.js';

/**
 * What a release that has begun resolves with.
 *
 * @param releasing never rejects, and goes on by itself
 */
export function answerTo(releasing: Promise<void>, mode: ReleaseMode): Promise<void> {
  return mode === 'wait' ? releasing : Promise.resolve();
}
