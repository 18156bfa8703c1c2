import {
  hasReturnCode,
  join,
  type NodeContent,
  type NodeStat,
  orIfGone,
  readShort,
  ReturnCode,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';
import { semaphorePathsOf } from '../lock/key-path.js';
import { areOfSemaphore, findQueue, type FoundQueue, type QueueNode } from '../nodes/dialect.js';
import { agreedPermitsOf } from '../semaphore/permit-agreement.js';
import { leasesIn } from '../semaphore/semaphore-inspection.js';
import { inSlices } from '../slices.js';
import {
  beginningOf,
  describeNode,
  type Folder,
  type KeptNode,
  type KeyContent,
  MOST_READ,
  MOST_STRANGERS,
} from './tree-key.js';

/** The memory that a kept name takes in addition to its characters. */
const NAME_BYTES = 100;

/** The memory that a kept node takes in addition to its data. */
const NODE_BYTES = 500;

/** Limits the estimated memory for a tree, in bytes, because other programs can fill the tree. */
export class Room {
  constructor(private left: number) {}

  /** Returns false if there is not enough room. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}

/** A folder whose nodes are being read. */
interface OpenFolder extends Folder {
  readonly path: string;
  readonly contenders: Map<string, KeptNode>;
  readonly mode: 'permit' | undefined;
  bytes: number;
  /** The names of nodes that were read but are not kept. */
  readonly unkept: Set<string>;
}

/** A node that is to be read. */
export interface PlannedNode {
  readonly folder: OpenFolder;
  readonly node: QueueNode;
}

const EMPTY: ReadonlyMap<string, KeptNode> = new Map();

/**
 * Reads what is new below a key's directory. Nodes that were read before are not read again. The
 * others are only planned, so that the nodes of all keys can be read together, a limited number at
 * a time.
 */
export class TreeReader {
  readonly planned: PlannedNode[] = [];

  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    /** Paths of nodes whose data may have changed, and when that was reported. */
    private readonly stale: ReadonlyMap<string, number>,
    private readonly room: Room,
    private readonly onStat: (stat: NodeStat, toldAt: number | undefined) => void,
  ) {}

  /** The names below a directory; empty if it does not exist. */
  names(path: string): Promise<string[]> {
    return orIfGone(this.session.list(this.lease, path), []);
  }

  /** The result is complete once the planned nodes have been read. */
  async key(path: string, known?: KeyContent): Promise<KeyContent | undefined> {
    try {
      const names = await orIfGone(this.session.list(this.lease, path), undefined);
      if (!names) return undefined;
      if (await inSlices(areOfSemaphore(names))) return await this.#semaphore(path, known);
      const bytes = this.#reserve(names);
      if (bytes === undefined) return { kind: 'unread', nodes: names.length };
      const place = { path, bytes, mode: undefined };
      const before = known?.kind === 'lock' ? known.queue : undefined;
      const found = await inSlices(findQueue(names));
      return { kind: 'lock', queue: this.#folder(place, found, before) };
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.answerTooLong)) return this.#unread(error.path);
      if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
      return { kind: 'hidden' };
    }
  }

  /** A directory whose list is too long. */
  async #unread(path: string): Promise<KeyContent | undefined> {
    const stat = await this.session.exists(this.lease, path);
    return stat && { kind: 'unread', nodes: stat.numChildren };
  }

  async readPlanned({ folder, node }: PlannedNode): Promise<void> {
    const content = await this.content(join(folder.path, node.name));
    if (!content) return;
    const bytes = content.data.length;
    if (!this.room.take(bytes)) {
      folder.unkept.add(node.name);
      return;
    }
    folder.bytes += bytes;
    const contender = describeNode(node, content, folder.mode);
    folder.contenders.set(node.name, { contender, bytes });
  }

  /** Undefined if the node does not exist. */
  async visibleContent(path: string): Promise<NodeContent | undefined> {
    const content = await readShort(this.session, this.lease, path);
    if (content) this.onStat(content.stat, this.stale.get(path));
    return content;
  }

  /** Undefined if the node does not exist; without data if an ACL hides it. */
  async content(path: string): Promise<NodeContent | undefined> {
    const { session, lease } = this;
    try {
      return await this.visibleContent(path);
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
      const stat = await session.exists(lease, path);
      return stat && { data: Buffer.alloc(0), stat };
    }
  }

  async #semaphore(path: string, known: KeyContent | undefined): Promise<KeyContent> {
    const before = known?.kind === 'semaphore' ? known : undefined;
    const paths = semaphorePathsOf(path);
    const [queued, leased, agreed] = await Promise.all([
      this.names(paths.queue),
      this.names(paths.leases),
      this.content(paths.leases),
    ]);
    const bytes = this.#reserve(queued.concat(leased));
    if (bytes === undefined) return { kind: 'unread', nodes: queued.length + leased.length };
    const mode = 'permit';
    const found = await inSlices(findQueue(queued));
    const nodes = await inSlices(leasesIn(leased));
    const taken = { nodes, dialects: [], strangers: [] };
    return {
      kind: 'semaphore',
      queue: this.#folder({ path: paths.queue, bytes, mode }, found, before?.queue),
      leases: this.#folder({ path: paths.leases, bytes: 0, mode }, taken, before?.leases),
      permits: await inSlices(agreedPermitsOf(agreed?.data, nodes)),
    };
  }

  /**
   * Reserves the memory that a key takes without its nodes' data; undefined if there is not enough.
   */
  #reserve(names: readonly string[]): number | undefined {
    const bytes = names.reduce(
      (sum, { length }) => sum + length + NAME_BYTES,
      Math.min(names.length, MOST_READ) * NODE_BYTES,
    );
    return this.room.take(bytes) ? bytes : undefined;
  }

  #folder(
    place: Pick<OpenFolder, 'path' | 'bytes' | 'mode'>,
    { nodes, dialects, strangers }: FoundQueue,
    { contenders: before }: Pick<Folder, 'contenders'> = { contenders: EMPTY },
  ): Folder {
    const folder: OpenFolder = {
      ...{ ...place, nodes, dialects, contenders: new Map(), unkept: new Set() },
      strangers: strangers.slice(0, MOST_STRANGERS).map(beginningOf),
      strangerCount: strangers.length,
    };
    for (const node of nodes.slice(0, MOST_READ)) {
      const isStale = this.stale.has(join(place.path, node.name));
      const known = isStale ? undefined : before.get(node.name);
      if (known && this.room.take(known.bytes)) {
        folder.bytes += known.bytes;
        folder.contenders.set(node.name, known);
      } else this.planned.push({ folder, node });
    }
    return folder;
  }
}

export function bytesOf(content: KeyContent | undefined): number {
  if (content?.kind === 'lock') return content.queue.bytes;
  return content?.kind === 'semaphore' ? content.queue.bytes + content.leases.bytes : 0;
}

/** Removes nodes that have left while they were read, so that they are not shown as holders. */
export function withoutGone(content: KeyContent | undefined): KeyContent | undefined {
  switch (content?.kind) {
    case 'lock':
      return { ...content, queue: present(content.queue) };
    case 'semaphore':
      return { ...content, queue: present(content.queue), leases: present(content.leases) };
    default:
      return content;
  }
}

function present(folder: Folder): Folder {
  const { nodes, contenders, unkept } = folder;
  const isThere = ({ name }: QueueNode, index: number): boolean =>
    index >= MOST_READ || contenders.has(name) || unkept.has(name);
  return { ...folder, nodes: nodes.filter(isThere) };
}
