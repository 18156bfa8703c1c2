/** What the server appends to the path of a sequential node: ten digits, or as many as there are, and a sign. */
const SEQUENCE_LENGTHS = [10, 11];

/** What a request may leave with. */
export type RequestKind =
  /** A part of a `multi`. */
  | 'write'
  /** It changes something, and leaves by itself. */
  | 'lone-write'
  /** A part of a `multiRead`. */
  | 'read'
  /** It changes nothing but watches, and leaves by itself. */
  | 'lone-read';

/** As much of a request as it takes to find its place. */
export interface Planned {
  kind: RequestKind;
  readonly path: string;
  readonly bytes: number;
  readonly creates: boolean;
  readonly isSequential: boolean;
  /** The directory that gains or loses a name by it. */
  readonly parent: string | undefined;
}

export interface Limits {
  /** Fewer writes leave by themselves: there is nothing to be gained. */
  readonly fewestWrites: number;
  readonly mostWrites: number;
  readonly mostReads: number;
  /** Of the requests in one frame. */
  readonly mostBytes: number;
}

/** What leaves at once, in this order. */
export interface Batch<T> {
  /** One by one. */
  readonly writes: readonly T[];
  /** As one `multi`. */
  readonly together: readonly T[];
  /** One by one. */
  readonly loneReads: readonly T[];
  /** Each of these as one `multiRead`. */
  readonly reads: readonly (readonly T[])[];
  /** So many from the head of the queue are in it. */
  readonly size: number;
}

/**
 * The rule: writes keep their order, and no read goes before a write that was asked for earlier. A
 * read may go behind later writes, unless one of them changes what it reads: that begins the next batch.
 *
 * The `multi` is the last of the writes, for it may be refused, and nothing that was asked for later
 * may have been done then. Two nodes of one directory must not have the same czxid, by which their
 * holders are told apart: where a second one is to be created, what was gathered before leaves one
 * by one. So a thousand nodes in one directory leave as they would without batches.
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

/** Whether nothing would leave together, so that all of it may leave as it is. */
export function areTooFew(queue: readonly Planned[], { fewestWrites }: Limits): boolean {
  if (queue.length >= fewestWrites) return false;
  let reads = 0;
  for (const { kind } of queue) if (kind === 'read') reads++;
  return reads < 2;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '/';
}

class Draft<T extends Planned> {
  readonly #writes: T[] = [];
  /** The latest writes, which can leave together. */
  #together: T[] = [];
  #bytes = 0;
  readonly #createdIn = new Set<string>();
  readonly #loneReads: T[] = [];
  readonly #reads: T[] = [];
  readonly #readPaths = new Set<string>();
  /** What they would be created as by the server's numbering. */
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
    if (isLone || (next.creates && this.#createdIn.has(next.parent ?? ''))) this.#part();
    if (isLone) this.#writes.push(next);
    else if (!this.#hasRoomFor(next)) return false;
    else this.#join(next);
    return true;
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
    // What a lone one changes is not known here.
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
    if (next.creates) this.#createdIn.add(next.parent ?? '');
  }

  /** What would have left together leaves one by one. */
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
