import { ZkClosedError } from 'zk-client/recipes';
import type { Inspector } from '../inspection/inspector.js';
import type { AcquireOptions } from '../lock/lock.js';
import { readElectionOptions } from '../options/call-options.js';
import type { ElectionOptions } from '../options/election-options.js';
import type { ReadWriteLocks } from '../read-write/read-write-locks.js';
import type { LeaderElection, ElectionContext } from './leader-election.js';

/** What all elections of one process share. */
type ElectionSettings = Pick<
  ElectionContext,
  'sessionTimeoutMs' | 'marginMs' | 'logger' | 'onLost' | 'isConnected'
>;

/** The elections that this process takes part in, at most once in each. */
export class Elections {
  readonly #open = new Map<string, LeaderElection>();
  #hasEnded = false;

  constructor(
    private readonly locks: ReadWriteLocks,
    private readonly inspector: Inspector,
    private readonly settings: ElectionSettings,
    private readonly Election: typeof LeaderElection,
  ) {}

  /**
   * @throws {ZkLockConfigError} {@link LockKeyError}
   * @throws {ZkClosedError}
   */
  join(key: string, given: ElectionOptions): LeaderElection {
    const options = readElectionOptions(given);
    if (this.#hasEnded) throw new ZkClosedError();
    const open = this.#open.get(key);
    if (open) return open;
    const { locks, inspector, settings } = this;
    const alone = { ...options, timeoutMs: Infinity, reentrant: false } as AcquireOptions;
    const use = { election: true };
    const request = { ...locks.request(key, alone), kind: 'election', use } as const;
    const election = new this.Election(key, {
      ...settings,
      owner: locks,
      directory: request.directory,
      take: (signal, onLost) => locks.take({ ...request, signal, onLost }),
      inspect: (inspection) => inspector.inspect(key, inspection),
      onClosed: (closed) => {
        if (this.#open.get(key) === closed) this.#open.delete(key);
      },
      isServiceClosing: () => this.#hasEnded,
    });
    this.#open.set(key, election);
    return election;
  }

  /** The open election of this key; undefined if this process does not take part in it. */
  find(key: string): LeaderElection | undefined {
    return this.#open.get(key);
  }

  /** Leaves all elections for good. Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(Array.from(this.#open.values(), (election) => election.close()));
  }
}
