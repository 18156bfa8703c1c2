import { type MockInstance, vi } from 'vitest';
import type { TestLocks } from './locks.js';
import type { Session } from '../../libs/zk-client/src/session/session.js';

export interface HeldReads {
  /** All calls, including those that are held. */
  readonly reads: MockInstance<Session['get']>;
  letGo(): void;
}

/** Delays reads of nodes until `letGo` is called. */
export function holdReads(
  { session }: TestLocks,
  isMeant: (path: string) => boolean = () => true,
): HeldReads {
  let letGo!: () => void;
  const opened = new Promise<void>((resolve) => (letGo = resolve));
  const read = session.get.bind(session);
  const reads = vi.spyOn(session, 'get').mockImplementation(async (lease, path, options) => {
    if (isMeant(path)) await opened;
    return read(lease, path, options);
  });
  return { reads, letGo };
}
