import { orIfGone, type Session, type SessionLease, ZkLockConfigError } from 'zk-client/recipes';
import type { PermitCount } from '../options/permit-options.js';
import { findInSlices, forEachInSlices } from '../slices.js';

const MOST_DIGITS = 10;

/** Where the GUID of a lease's name ends, after `_c_`. */
const GUID_END = 39;

/** The most directories that are remembered. */
const MOST_KNOWN = 4_096;

/** The directories of leases that sessions have read, with the numbers found to agree. */
const known = new WeakMap<SessionLease, Map<string, number>>();

/**
 * Compares the fixed number of permits of one semaphore with that of other processes, in two
 * places:
 *
 * The directory of the leases stores the number as its data, from its creation until it has been
 * empty for a while and ZooKeeper removes it. It is read once for each session and key, so that a
 * process notices another number even while no permit is taken. If Curator created the directory,
 * it stores no number.
 *
 * Each lease has the number in its name. A call sees all older leases in the list that it reads
 * anyway. So permits of two different numbers are never held together, whatever has happened to the
 * directory.
 */
export class PermitAgreement {
  /** Undefined for a shared count: all processes read the same number, so nothing is compared. */
  readonly #permits: number | undefined;

  /** @param directory the directory of the leases */
  constructor(
    private readonly session: Pick<Session, 'get'>,
    private readonly key: string,
    private readonly directory: string,
    count: PermitCount,
  ) {
    this.#permits = count.kind === 'fixed' ? count.permits : undefined;
  }

  /** The data with which the directory is created: decimal digits, as in kazoo's semaphore. */
  get data(): string {
    return this.#permits === undefined ? '' : String(this.#permits);
  }

  /** The name of a lease up to its sequence number. */
  readonly prefix = (guid: string): string =>
    this.#permits === undefined ? `_c_${guid}-lease-` : `_c_${guid}-of-${this.#permits}-lease-`;

  /** Whether the directory has been read already. */
  isKnown(lease: SessionLease): boolean {
    if (this.#permits === undefined) return true;
    return known.get(lease)?.get(this.directory) === this.#permits;
  }

  /** @throws {ZkLockConfigError} when the directory stores another number */
  async ask(lease: SessionLease): Promise<void> {
    if (this.#permits === undefined) return;
    const content = await orIfGone(this.session.get(lease, this.directory), undefined);
    if (!content) return;
    const agreed = numberIn(content.data);
    if (agreed !== undefined && agreed !== this.#permits) throw this.#differsFrom(agreed);
    const numbers = known.get(lease) ?? new Map<string, number>();
    if (numbers.size === MOST_KNOWN) numbers.clear();
    known.set(lease, numbers.set(this.directory, this.#permits));
  }

  /**
   * Pauses between slices of work: see `inSlices`.
   *
   * @param names of all leases
   * @param own the call's leases; newer ones are ignored, because their own calls will be refused
   * @throws {ZkLockConfigError} when an older lease was taken under another number
   */
  *check(names: readonly string[], own: readonly string[] = []): Generator<undefined, void> {
    if (this.#permits === undefined) return;
    const first = Math.min(...own.map(sequenceOf));
    const agreed = `-of-${this.#permits}-lease-`;
    yield* forEachInSlices(names, (name) => {
      // Thousands of leases agree, and a search is faster than a regular expression.
      if (name.startsWith(agreed, GUID_END)) return;
      const other = permitsIn(name);
      if (other === undefined || other === this.#permits) return;
      if (sequenceOf(name) < first) throw this.#differsFrom(other);
    });
  }

  #differsFrom(other: number): ZkLockConfigError {
    return new ZkLockConfigError(
      'permits',
      `must be ${other} for the semaphore "${this.key}", as in other processes; got ${this.data}`,
      `Use one number in all processes. To change it while they run, use { sharedCount, seed }; once all have stopped, another number can be used as soon as ZooKeeper has removed ${this.directory}, or you have deleted it.`,
    );
  }
}

/**
 * The fixed number of permits according to the leases' directory, or else to the oldest lease that has one.
 * Undefined while there are leases but none has a number: these are Curator's or those of a shared count, and
 * the directory's number may be older than they are. Pauses between slices of work: see `inSlices`.
 */
export function* agreedPermitsOf(
  directoryData: Buffer | undefined,
  leases: readonly { readonly name: string }[],
): Generator<undefined, number | undefined> {
  const numbered = yield* findInSlices(leases, ({ name }) => permitsIn(name) !== undefined);
  if (numbered === undefined && leases.length > 0) return undefined;
  return numberIn(directoryData) ?? permitsIn(numbered?.name ?? '');
}

function permitsIn(lease: string): number | undefined {
  return parseNumber(/-of-(\d+)-lease-/.exec(lease)?.[1]);
}

/** Includes the dash before it, which is not the minus sign of a negative number. */
export function sequenceOf(lease: string): number {
  return Number(/-lease-(-?\d+)$/.exec(lease)?.[1] ?? 0);
}

/** Other programs may write up to a megabyte there. */
function numberIn(data: Buffer | undefined): number | undefined {
  return parseNumber(data?.subarray(0, MOST_DIGITS + 1).toString());
}

/** Undefined for anything else: data of other programs are not compared. */
function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
