import { ZkClosedError } from 'zk-client/recipes';
import { readElectionOptions } from '../options/call-options.js';
import type { ElectionOptions } from '../options/election-options.js';
import type { LeaderElection, ElectionContext } from './leader-election.js';

type NewContext = (
  key: string,
  options: ElectionOptions,
) => Omit<ElectionContext, 'onClosed' | 'isServiceClosing'>;

/** The elections that this process takes part in, at most once in each. */
export class Elections {
  readonly #open = new Map<string, LeaderElection>();
  #hasEnded = false;

  constructor(
    private readonly newContext: NewContext,
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
    const onClosed = (closed: LeaderElection): void => {
      if (this.#open.get(key) === closed) this.#open.delete(key);
    };
    const isServiceClosing = (): boolean => this.#hasEnded;
    const context = { ...this.newContext(key, options), onClosed, isServiceClosing };
    const election = new this.Election(key, context);
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
