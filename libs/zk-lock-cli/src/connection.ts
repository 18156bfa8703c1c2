import { Locks, type LocksOptions, type ZkLockLogger } from 'zk-locks';
import { inFlags } from './explain.js';
import type { FlagValues } from './flags.js';
import { warn } from './output/say.js';
import { readSettings } from './settings.js';

/**
 * Runs `work` with the locks that the flags name, and closes them.
 *
 * @param interrupted ends the attempt to connect
 * @throws {ZooKeeperUnavailableError} without a session within `--connect-timeout`
 */
export async function withLocks<T>(
  flags: FlagValues,
  work: (locks: Locks) => Promise<T>,
  { interrupted, ...more }: Partial<LocksOptions> & { interrupted?: AbortSignal } = {},
): Promise<T> {
  const locks = new Locks({ ...readSettings(flags), ...more }, loggerOf(flags));
  const close = (): void => void locks.close();
  interrupted?.addEventListener('abort', close, { once: true });
  try {
    if (interrupted?.aborted) close();
    await locks.start();
    interrupted?.removeEventListener('abort', close);
    return await work(locks);
  } finally {
    interrupted?.removeEventListener('abort', close);
    await locks.close();
  }
}

const silent = (): void => undefined;

/**
 * Logs errors, such as that no server answers, and with `--verbose` everything.
 *
 * @param tell gets the lines; without it, standard error does
 */
export function loggerOf(flags: FlagValues, tell: (line: string) => void = warn): ZkLockLogger {
  const error = (line: string): void => tell(inFlags(line));
  const say = flags.isOn('verbose') ? error : silent;
  return { debug: silent, log: say, warn: say, error };
}
