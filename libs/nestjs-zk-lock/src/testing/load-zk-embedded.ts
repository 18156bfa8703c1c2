import { LockTestingError } from './lock-testing-error.js';

/**
 * Loads the optional package `zk-embedded` on first use, so that its absence can be explained.
 *
 * @throws {LockTestingError} when it is not installed
 */
export async function loadZkEmbedded(): Promise<typeof import('zk-embedded')> {
  try {
    return await import('zk-embedded');
  } catch (cause) {
    throw new LockTestingError(
      'nestjs-zk-lock/testing needs the package `zk-embedded`, which could not be loaded. Run `npm install --save-dev zk-embedded`.',
      { cause },
    );
  }
}
