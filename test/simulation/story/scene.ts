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
  /** A task of a replica has noted something. */
  readonly onEntry: (replica: string, entry: JournalEntry) => void;
  /** Where users of `ZkClient` write down what they do. */
  readonly ledger: Ledger;
  /** What writes down, for people, what happens to the tasks of a process. */
  readonly noting: (process: string) => (entry: JournalEntry) => void;
  /** Whether the znode of this creation exists on all servers that have executed it: none has said that it is gone. */
  readonly exists: (path: string, czxid: bigint) => boolean;
  /** Reports what no history shows, as an error that nothing has caught. */
  readonly report: (promise: string, message: string) => void;
}

/** Where holders write by transactions that check their locks. */
export const GUARDED = '/guarded';

/** When the world begins, in milliseconds since 1970. */
export const BEGINNING_MS = 1_700_000_000_000;

export function describeError(error: unknown): string {
  return (error as Partial<Error> | undefined)?.stack ?? String(error);
}
