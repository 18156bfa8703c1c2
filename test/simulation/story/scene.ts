import type { LocksOptions } from 'zk-locks';
import type { JournalEntry } from '../../workers/soak/protocol.js';
import type { World } from '../world/world.js';
import type { FencedResource } from './fenced-resource.js';
import type { Ledger } from './users/ledger.js';

/** What the processes of a story have in common. */
export interface Scene {
  readonly world: World;
  readonly resource: FencedResource;
  readonly connectString: string;
  readonly dialect: LocksOptions['dialect'];
  readonly keys: readonly string[];
  /** Called when a task of a replica adds an entry to its journal. */
  readonly onEntry: (replica: string, entry: JournalEntry) => void;
  /** Records the calls of `ZkClient` users. */
  readonly ledger: Ledger;
  /** Returns a function that records, for people, what happens to the tasks of a process. */
  readonly noting: (process: string) => (entry: JournalEntry) => void;
  /**
   * Whether the znode of this creation still exists on all servers that have executed the creation:
   * none has reported it as deleted.
   */
  readonly exists: (path: string, czxid: bigint) => boolean;
  /** Reports a violation that does not show in the history, such as an uncaught error. */
  readonly report: (promise: string, message: string) => void;
}

/** The directory in which holders write with transactions that check their locks. */
export const GUARDED = '/guarded';

/** The simulated time at the beginning, in milliseconds since 1970. */
export const BEGINNING_MS = 1_700_000_000_000;

export function describeError(error: unknown): string {
  return (error as Partial<Error> | undefined)?.stack ?? String(error);
}
