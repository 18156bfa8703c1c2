import type { LocksContext } from '../grant/locks-context.js';
import type { HoldersHere } from '../inspection/holder-report.js';
import type { CohortMember, CohortSight } from '../inspection/inspection.js';
import type { LockHolder } from '../lock/lock-errors.js';
import { ownHolder } from '../nodes/holder-data.js';
import { withJson } from 'zk-client/recipes';
import type { LockRequest } from '../read-write/read-write-locks.js';
import type { CohortLimits } from '../options/cohort-options.js';
import { Cohort } from './cohort.js';
import type { CohortGrant, CohortTurn } from './cohort-turn.js';
import { KeptTurns } from './kept-turns.js';

/** The cohorts of one process, one for each key in use. */
export class Cohorts {
  readonly #byDirectory = new Map<string, Cohort>();
  readonly #kept: KeptTurns | undefined;

  constructor(
    private readonly context: LocksContext,
    private readonly limits: CohortLimits,
  ) {
    const { session, dialect, activeLocks } = context;
    const { keepMs } = limits;
    if (keepMs === 0) return;
    const kept = (this.#kept = new KeptTurns(session, dialect, keepMs));
    activeLocks.closing.addEventListener('abort', () => kept.close(), { once: true });
  }

  /**
   * Takes a lock together with other calls of this process, without a wait if it is kept for them.
   *
   * @throws as {@link ActiveLocks.take} and {@link Cohort.take}
   */
  take(request: LockRequest): Promise<CohortGrant> {
    const { activeLocks } = this.context;
    const { directory, signal } = request;
    const take = (): Promise<CohortGrant> => {
      const kept = signal?.aborted
        ? undefined
        : this.#byDirectory.get(directory)?.takeKept(request);
      if (kept) return activeLocks.keep(request, kept);
      return activeLocks.take(request, (wait) => this.#of(directory).take(request, wait));
    };
    // The check comes before the grant: meanwhile, the lock may be lost, or closing may begin.
    const pause = this.#byDirectory.get(directory)?.isKept ? this.#kept?.pause() : undefined;
    return pause?.then(take) ?? take();
  }

  giveBackKept(directory: string): void {
    this.#byDirectory.get(directory)?.giveBackKept();
  }

  /**
   * Whether locks are kept. That requires proofs of the session's life, just as holding locks does.
   */
  get isKeeping(): boolean {
    return this.#kept?.isEmpty === false;
  }

  /**
   * Undefined if no call here holds the lock of the directory through a cohort, or waits for it.
   */
  sightOf(directory: string): CohortSight | undefined {
    const cohort = this.#byDirectory.get(directory);
    if (!cohort) return undefined;
    const { sight, isKept } = cohort;
    if (!isKept && sight.members.length + sight.waiting === 0) return undefined;
    const show = ({ mode, label, since, fencingToken }: CohortGrant): CohortMember =>
      withJson({ mode, fencingToken, label, since: new Date(since) });
    return { ...sight, members: sight.members.map(show) };
  }

  /**
   * The first members that {@link sightOf} sees, in the form that errors use. Each call that gives up asks for
   * them, so the others, which may be thousands, are only counted.
   */
  holdersOf(directory: string, most: number): HoldersHere {
    const turns = this.#byDirectory.get(directory)?.holding ?? [];
    const total = turns.reduce((sum, { members }) => sum + members.size, 0);
    const first = firstMembers(turns, most);
    const holders = first.map(({ node, label, since: letInAt }): LockHolder => {
      const since = new Date(letInAt);
      const holder = ownHolder(this.context.application, label, { cohort: true }, since);
      return { node, since, holder };
    });
    return {
      ...{ holders, total, isHere: total > 0 },
      nodes: () => new Set(turns.map(({ grant }) => grant.nodeName)),
      areAlone: first[0]?.mode === 'write',
    };
  }

  #of(directory: string): Cohort {
    const known = this.#byDirectory.get(directory);
    if (known) return known;
    const cohort = new Cohort(this.context, this.limits, this.#kept, () => {
      // A cohort may report its end again after another one has replaced it.
      if (this.#byDirectory.get(directory) === cohort) this.#byDirectory.delete(directory);
    });
    this.#byDirectory.set(directory, cohort);
    return cohort;
  }
}

function firstMembers(turns: readonly CohortTurn[], most: number): readonly CohortGrant[] {
  const first: CohortGrant[] = [];
  for (const { members } of turns) {
    for (const member of members) {
      if (first.length === most) return first;
      first.push(member);
    }
  }
  return first;
}
