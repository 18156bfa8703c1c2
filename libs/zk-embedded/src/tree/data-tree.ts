import { type ACL, ErrorCode, Perms } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import { CONFIG_PATH, nameOf, parentOf, SERVER_PATHS } from './node-path.js';
import { type NodeOwner, UNOWNED } from './node-owner.js';
import { following } from './sequence.js';
import type { Transaction } from './transaction.js';
import type { Znode } from './znode.js';

export interface NewNode {
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly ACL[];
  readonly owner: NodeOwner;
}

const anyone = { scheme: 'world', id: 'anyone' };
const OPEN: readonly ACL[] = [{ perms: Perms.all, id: anyone }];
const READ_ONLY: readonly ACL[] = [{ perms: Perms.read, id: anyone }];

/**
 * The znodes. A transaction records every change and can undo it. Permissions are checked before.
 * Data and ACLs are stored without a copy: callers must not change them afterwards.
 */
export class DataTree {
  readonly #nodes = new Map<string, Znode>();
  readonly #ephemerals = new Map<bigint, Set<string>>();
  /** Containers and nodes with a TTL, which the server deletes by itself. */
  readonly #mortal = new Set<string>();

  constructor() {
    const birth = { zxid: 0n, time: 0 };
    for (const path of ['/', ...SERVER_PATHS]) {
      const node = newZnode({ path, data: Buffer.alloc(0), acl: OPEN, owner: UNOWNED }, birth);
      this.#nodes.set(path, node);
      if (path === '/') continue;
      const parent = this.get(parentOf(path));
      parent.children.add(nameOf(path));
    }
    // ZooKeeper finds the root under both paths, and counts it twice.
    this.#nodes.set('', this.get('/'));
    const config = this.get(CONFIG_PATH);
    config.acl = READ_ONLY;
    config.aversion = -1;
  }

  /** The same nodes; changes of one tree do not reach the other. */
  copy(): DataTree {
    const copy = new DataTree();
    for (const [path, node] of this.#nodes) {
      const own = { ...node };
      own.children = new Set(node.children);
      copy.#nodes.set(path, own);
    }
    copy.#nodes.set('', copy.get('/'));
    for (const [id, paths] of this.#ephemerals) copy.#ephemerals.set(id, new Set(paths));
    for (const path of this.#mortal) copy.#mortal.add(path);
    return copy;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Approximate size of all data and paths. */
  get dataBytes(): number {
    let bytes = 0;
    for (const [path, { data }] of this.#nodes) bytes += path.length + (data?.length ?? 0);
    return bytes;
  }

  find(path: string): Znode | undefined {
    return this.#nodes.get(path);
  }

  /** @throws {RequestRefused} `noNode` */
  get(path: string): Znode {
    const node = this.#nodes.get(path);
    if (!node) throw new RequestRefused(ErrorCode.noNode);
    return node;
  }

  /** How many nodes are below a node, at any depth. */
  countBelow(path: string): number {
    if (path === '/') return this.#nodes.size - 2;
    let count = 0;
    for (const candidate of this.#nodes.keys()) if (candidate.startsWith(`${path}/`)) count++;
    return count;
  }

  ephemeralsOf(sessionId: bigint): readonly string[] {
    return [...(this.#ephemerals.get(sessionId) ?? [])];
  }

  /** Sessions with the ephemeral nodes that they own. */
  ephemerals(): Iterable<readonly [bigint, ReadonlySet<string>]> {
    return this.#ephemerals;
  }

  /** Containers and nodes with a TTL. */
  mortals(): Znode[] {
    return [...this.#mortal].map((path) => this.get(path));
  }

  /**
   * @throws {RequestRefused} `noNode` without a parent, `nodeExists`, `noChildrenForEphemerals`
   */
  create(transaction: Transaction, spec: NewNode): Znode {
    const { path } = spec;
    const parent = this.get(parentOf(path));
    if (this.#nodes.has(path)) throw new RequestRefused(ErrorCode.nodeExists);
    if (parent.owner.kind === 'session') {
      throw new RequestRefused(ErrorCode.noChildrenForEphemerals);
    }
    const { childrenCreated, pzxid } = parent;
    const node = newZnode(spec, transaction);
    this.#insert(node, parent);
    parent.childrenCreated = following(childrenCreated);
    // As in ZooKeeper, which sets both together.
    if (parent.childrenCreated !== childrenCreated) parent.pzxid = transaction.zxid;
    transaction.record(
      () => {
        this.#remove(node, parent);
        parent.childrenCreated = childrenCreated;
        parent.pzxid = pzxid;
      },
      { kind: 'created', path, acl: node.acl, parentAcl: parent.acl },
    );
    return node;
  }

  /** @throws {RequestRefused} `noNode`, `notEmpty` */
  delete(transaction: Transaction, path: string): void {
    const node = this.get(path);
    if (node.children.size > 0) throw new RequestRefused(ErrorCode.notEmpty);
    const parent = this.get(parentOf(path));
    const { pzxid } = parent;
    this.#remove(node, parent);
    parent.pzxid = transaction.zxid;
    transaction.record(
      () => {
        this.#insert(node, parent);
        parent.pzxid = pzxid;
      },
      { kind: 'deleted', path, acl: node.acl, parentAcl: parent.acl },
    );
  }

  setData(transaction: Transaction, node: Znode, data: Buffer | null, version: number): void {
    const before = { ...node };
    node.data = data;
    node.version = version;
    node.mzxid = transaction.zxid;
    node.mtime = transaction.time;
    const undo = (): void => {
      node.data = before.data;
      node.version = before.version;
      node.mzxid = before.mzxid;
      node.mtime = before.mtime;
    };
    transaction.record(undo, { kind: 'changed', path: node.path, acl: node.acl });
  }

  /** Fires no watch: ACLs cannot be watched. */
  setAcl(transaction: Transaction, node: Znode, acl: readonly ACL[], aversion: number): void {
    const before = { acl: node.acl, aversion: node.aversion };
    node.acl = acl;
    node.aversion = aversion;
    transaction.record(() => {
      node.acl = before.acl;
      node.aversion = before.aversion;
    });
  }

  #insert(node: Znode, parent: Znode): void {
    const { path, owner } = node;
    this.#nodes.set(path, node);
    parent.children.add(nameOf(path));
    if (owner.kind === 'session') {
      const owned = this.#ephemerals.get(owner.sessionId);
      if (owned) owned.add(path);
      else this.#ephemerals.set(owner.sessionId, new Set([path]));
    } else if (owner.kind !== 'none') {
      this.#mortal.add(path);
    }
  }

  #remove({ path, owner }: Znode, parent: Znode): void {
    this.#nodes.delete(path);
    parent.children.delete(nameOf(path));
    if (owner.kind === 'session') {
      const owned = this.#ephemerals.get(owner.sessionId);
      owned?.delete(path);
      if (owned?.size === 0) this.#ephemerals.delete(owner.sessionId);
    } else if (owner.kind !== 'none') {
      this.#mortal.delete(path);
    }
  }
}

function newZnode(
  { path, data, acl, owner }: NewNode,
  { zxid, time }: Pick<Transaction, 'zxid' | 'time'>,
): Znode {
  return {
    path,
    data,
    acl,
    owner,
    czxid: zxid,
    mzxid: zxid,
    pzxid: zxid,
    ctime: time,
    mtime: time,
    version: 0,
    aversion: 0,
    childrenCreated: 0,
    children: new Set(),
  };
}
