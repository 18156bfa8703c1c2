import { orIfGone, type Session, type SessionLease, ZkLockConfigError } from 'zk-client/recipes';
import type { PermitCount } from '../options/permit-options.js';

const MOST_DIGITS = 10;

/** The most directories that are remembered. */
const MOST_KNOWN = 4_096;

/** The directories of leases that were read in this session, with the numbers they agree with. */
export class KnownPermits {
  #lease: SessionLease | undefined;
  readonly #numbers = new Map<string, number>();

  constructor(private readonly session: Session) {}

  has(lease: SessionLease, directory: string, permits: number): boolean {
    return this.#lease === lease && this.#numbers.get(directory) === permits;
  }

  /** Remembers `permits`, unless the directory names another number, which is returned. */
  async read(lease: SessionLease, directory: string, permits: number): Promise<number | undefined> {
    const content = await orIfGone(this.session.get(lease, directory), undefined);
    if (!content) return undefined;
    const agreed = numberIn(content.data);
    if (agreed !== undefined && agreed !== permits) return agreed;
    if (this.#lease !== lease || this.#numbers.size === MOST_KNOWN) this.#numbers.clear();
    this.#lease = lease;
    this.#numbers.set(directory, permits);
    return undefined;
  }
}

/**
 * Holds the fixed number of permits of one semaphore against that of other processes, in two places:
 *
 * The directory of the leases has the number as its data, from its creation until it has been empty for
 * a while and ZooKeeper removes it. It is read once for each session and key, so that a process hears of
 * another number also while no permit is taken. Where Curator made the directory, it names none.
 *
 * Each lease has the number in its name. A call sees all older leases in the list that it reads anyway:
 * permits of two numbers are never held together, whatever has become of the directory.
 */
export class PermitAgreement {
  /** Undefined for a shared count, which all processes read: nothing is compared. */
  readonly #permits: number | undefined;

  /** @param directory of the leases */
  constructor(
    private readonly known: KnownPermits,
    private readonly key: string,
    private readonly directory: string,
    count: PermitCount,
  ) {
    this.#permits = count.kind === 'fixed' ? count.permits : undefined;
  }

  /** What the directory says when it is created: in decimal digits, as kazoo's semaphore. */
  get data(): string {
    return this.#permits === undefined ? '' : String(this.#permits);
  }

  /** The name of a lease up to its sequence number. */
  readonly prefix = (guid: string): string =>
    this.#permits === undefined ? `_c_${guid}-lease-` : `_c_${guid}-of-${this.#permits}-lease-`;

  /** Whether the directory need not be asked. */
  isKnown(lease: SessionLease): boolean {
    return this.#permits === undefined || this.known.has(lease, this.directory, this.#permits);
  }

  /** @throws {ZkLockConfigError} where the directory names another number */
  async ask(lease: SessionLease): Promise<void> {
    if (this.#permits === undefined) return;
    const other = await this.known.read(lease, this.directory, this.#permits);
    if (other !== undefined) throw this.#differsFrom(other);
  }

  /**
   * @param names of all leases
   * @param own those of the call; newer ones are not looked at, for theirs are the calls to be refused
   * @throws {ZkLockConfigError} where one was taken under another number
   */
  check(names: readonly string[], own: readonly string[] = []): void {
    if (this.#permits === undefined) return;
    const first = Math.min(...own.map(sequenceOf));
    for (const name of names) {
      const other = permitsIn(name);
      if (other === undefined || other === this.#permits) continue;
      if (sequenceOf(name) < first) throw this.#differsFrom(other);
    }
  }

  #differsFrom(other: number): ZkLockConfigError {
    return new ZkLockConfigError(
      'permits',
      `must be ${other} for the semaphore "${this.key}", as in other processes; got ${this.data}`,
      `Use one number in all processes. To change it while they run, use { sharedCount, seed }; once all have stopped, another number can be used as soon as ZooKeeper has removed ${this.directory}, or delete that.`,
    );
  }
}

/** The number of permits as the directory of the leases tells it, or the latest lease. */
export function agreedPermitsOf(
  directoryData: Buffer | undefined,
  latest: string | undefined,
): number | undefined {
  return numberIn(directoryData) ?? permitsIn(latest ?? '');
}

function permitsIn(lease: string): number | undefined {
  return parseNumber(/-of-(\d+)-lease-/.exec(lease)?.[1]);
}

/** With the dash before it, which a negative number has besides its own. */
export function sequenceOf(lease: string): number {
  return Number(/-lease-(-?\d+)$/.exec(lease)?.[1] ?? 0);
}

/** Other programs may write a megabyte there. */
function numberIn(data: Buffer | undefined): number | undefined {
  return parseNumber(data?.subarray(0, MOST_DIGITS + 1).toString());
}

/** Undefined for anything else: what other programs write there is not compared. */
function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
