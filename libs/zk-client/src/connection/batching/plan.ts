/** The server appends ten digits to the path of a sequential node; a negative number has a sign. */
const SEQUENCE_LENGTHS = [10, 11];

/** How a request may leave. */
export type RequestKind =
  /** A part of a `multi`. */
  | 'write'
  /** A write that leaves by itself. */
  | 'lone-write'
  /** A part of a `multiRead`. */
  | 'read'
  /** It changes only watches, and leaves by itself. */
  | 'lone-read';

/** The part of a request that decides its place. */
export interface Planned {
  kind: RequestKind;
  readonly path: string;
  readonly bytes: number;
  readonly creates: boolean;
  /** Where it rises, creations of one directory may leave together. */
  readonly rank: number | undefined;
  readonly isSequential: boolean;
  /** The directory that gains or loses a name. */
  readonly parent: string | undefined;
}

export interface Limits {
  /** With fewer writes, each leaves by itself: a batch would gain nothing. */
  readonly fewestWrites: number;
  readonly mostWrites: number;
  readonly mostReads: number;
  /** The most bytes of the requests in one frame. */
  readonly mostBytes: number;
}

/** The requests that leave at once, in this order. */
export interface Batch<T> {
  /** One by one. */
  readonly writes: readonly T[];
  /** As one `multi`. */
  readonly together: readonly T[];
  /** One by one. */
  readonly loneReads: readonly T[];
  /** Each of these as one `multiRead`. */
  readonly reads: readonly (readonly T[])[];
  /** The number of requests from the head of the queue that are in it. */
  readonly size: number;
}

/**
 * The rule: writes keep their order, and a read never goes before an earlier write. A read may go
 * after later writes, unless one of them changes the node that it reads: that write begins the next
 * batch.
 *
 * The `multi` is the last of the writes, because it may be refused, and no later request may have
 * been done then. Nodes that a `multi` creates in one directory have one czxid: they leave together
 * only where their callers have given them rising ranks. If a batch would create another node in one
 * directory, its writes leave one by one.
 *
 * @param mayWrite false while a `multi` is unanswered
 */
export function nextBatch<T extends Planned>(
  queue: readonly T[],
  start: number,
  limits: Limits,
  mayWrite: boolean,
): Batch<T> {
  const draft = new Draft<T>(limits, mayWrite);
  let end = start;
  for (let next = queue[end]; next && draft.takes(next); next = queue[++end]);
  return draft.finish(end - start);
}

/** Whether no requests would leave together, so that all may leave as they are. */
export function areTooFew(queue: readonly Planned[], { fewestWrites }: Limits): boolean {
  if (queue.length >= fewestWrites) return false;
  let reads = 0;
  for (const { kind } of queue) if (kind === 'read') reads++;
  return reads < 2;
}

class Draft<T extends Planned> {
  readonly #writes: T[] = [];
  /** The latest writes, which can leave together. */
  #together: T[] = [];
  #bytes = 0;
  /** The rank of the latest node in each directory. */
  readonly #createdIn = new Map<string, number>();
  readonly #loneReads: T[] = [];
  readonly #reads: T[] = [];
  readonly #readPaths = new Set<string>();
  /** The paths under which the server's numbering would create them. */
  readonly #readStems = new Set<string>();

  constructor(
    private readonly limits: Limits,
    private readonly mayWrite: boolean,
  ) {}

  takes(next: T): boolean {
    if (next.kind === 'read' || next.kind === 'lone-read') {
      (next.kind === 'read' ? this.#reads : this.#loneReads).push(next);
      this.#noteRead(next.path);
      return true;
    }
    if (!this.mayWrite || this.#changesWhatIsRead(next)) return false;
    const isLone = next.kind === 'lone-write' || next.bytes > this.limits.mostBytes;
    if (isLone || this.#clashes(next)) this.#part();
    if (isLone) this.#writes.push(next);
    else if (!this.#hasRoomFor(next)) return false;
    else this.#join(next);
    return true;
  }

  /** Whether nothing would tell its node from another one that is created with it. */
  #clashes({ creates, parent, rank = -1 }: T): boolean {
    return creates && rank <= (this.#createdIn.get(parent ?? '') ?? -Infinity);
  }

  finish(size: number): Batch<T> {
    if (this.#together.length < this.limits.fewestWrites) this.#part();
    return {
      ...{ writes: this.#writes, together: this.#together, loneReads: this.#loneReads, size },
      reads: this.#readsTogether(),
    };
  }

  #noteRead(path: string): void {
    this.#readPaths.add(path);
    for (const digits of SEQUENCE_LENGTHS) this.#readStems.add(path.slice(0, -digits));
  }

  #changesWhatIsRead({ kind, path, parent, isSequential }: T): boolean {
    // The effect of a write that leaves by itself is not known here.
    if (this.#readPaths.size === 0 || kind === 'lone-write') return this.#readPaths.size > 0;
    if (parent !== undefined && this.#readPaths.has(parent)) return true;
    return isSequential ? this.#readStems.has(path) : this.#readPaths.has(path);
  }

  #hasRoomFor({ bytes }: T): boolean {
    const { mostWrites, mostBytes } = this.limits;
    return this.#together.length < mostWrites && this.#bytes + bytes <= mostBytes;
  }

  #join(next: T): void {
    this.#together.push(next);
    this.#bytes += next.bytes;
    if (next.creates) this.#createdIn.set(next.parent ?? '', next.rank ?? Infinity);
  }

  /** The writes gathered so far leave one by one. */
  #part(): void {
    for (const write of this.#together) this.#writes.push(write);
    this.#together = [];
    this.#bytes = 0;
    this.#createdIn.clear();
  }

  #readsTogether(): T[][] {
    const { mostReads, mostBytes } = this.limits;
    const groups: T[][] = [];
    let bytes = Infinity;
    for (const read of this.#reads) {
      const group = groups.at(-1);
      if (group && group.length < mostReads && bytes + read.bytes <= mostBytes) {
        group.push(read);
        bytes += read.bytes;
      } else {
        groups.push([read]);
        bytes = read.bytes;
      }
    }
    return groups;
  }
}
