import { CreateMode, ErrorCode, OpCode, type RequestBody } from 'zk-protocol';
import { parentOf } from '../../libs/zk-client/src/port/node-path.js';

export type Create = { readonly type: typeof OpCode.create2 } & Asked<typeof OpCode.create2>;
export type Operation =
  | Create
  | ({ readonly type: typeof OpCode.delete } & Asked<typeof OpCode.delete>)
  | ({ readonly type: typeof OpCode.setData } & Asked<typeof OpCode.setData>)
  | ({ readonly type: typeof OpCode.getData } & Asked<typeof OpCode.getData>)
  | ({ readonly type: typeof OpCode.getChildren } & Asked<typeof OpCode.getChildren>);

interface Asked<T extends 1 | 2 | 3 | 4 | 5 | 8 | 15> {
  readonly request: RequestBody<T>;
}

/** The outcome of an operation, reduced to what distinguishes it from others. */
export type Outcome =
  { readonly err: number } | { readonly value: string; readonly czxid?: bigint };

interface Node {
  readonly czxid: bigint;
  readonly data: string;
  readonly version: number;
  readonly created: number;
}

/** The part of ZooKeeper's tree that shows which operations were executed, and in which order. */
export class SmallTree {
  #nodes = new Map<string, Node>();

  constructor(root: string) {
    this.#nodes.set(root, { czxid: 0n, data: '', version: 0, created: 0 });
  }

  copy(): SmallTree {
    const copy = new SmallTree('');
    copy.#nodes = new Map(this.#nodes);
    return copy;
  }

  execute({ type, request }: Operation, zxid: bigint): Outcome {
    switch (type) {
      case OpCode.create2:
        return this.#create(request, zxid);
      case OpCode.delete:
        return this.#delete(request);
      case OpCode.setData:
        return this.#setData(request);
      case OpCode.getData: {
        const node = this.#nodes.get(request.path);
        return node ? { value: `${node.czxid} ${node.version} ${node.data}` } : NO_NODE;
      }
      case OpCode.getChildren:
        if (!this.#nodes.has(request.path)) return NO_NODE;
        return { value: this.childrenOf(request.path).toSorted().join() };
    }
  }

  childrenOf(path: string): string[] {
    const paths = [...this.#nodes.keys()].filter((other) => parentOf(other) === path);
    return paths.map((other) => other.slice(path.length + 1));
  }

  #create({ path, flags, data }: Create['request'], zxid: bigint): Outcome {
    const parent = this.#nodes.get(parentOf(path));
    if (!parent) return NO_NODE;
    const isSequential = flags === CreateMode.persistentSequential;
    const name = isSequential ? `${path}${String(parent.created).padStart(10, '0')}` : path;
    if (this.#nodes.has(name)) return { err: ErrorCode.nodeExists };
    this.#nodes.set(parentOf(path), { ...parent, created: parent.created + 1 });
    this.#nodes.set(name, { czxid: zxid, data: String(data), version: 0, created: 0 });
    return { value: name, czxid: zxid };
  }

  #delete({ path, version }: RequestBody<typeof OpCode.delete>): Outcome {
    const node = this.#nodes.get(path);
    if (!node) return NO_NODE;
    if (version !== -1 && version !== node.version) return { err: ErrorCode.badVersion };
    if (this.childrenOf(path).length > 0) return { err: ErrorCode.notEmpty };
    this.#nodes.delete(path);
    return { value: '' };
  }

  #setData({ path, data, version }: RequestBody<typeof OpCode.setData>): Outcome {
    const node = this.#nodes.get(path);
    if (!node) return NO_NODE;
    if (version !== -1 && version !== node.version) return { err: ErrorCode.badVersion };
    this.#nodes.set(path, { ...node, data: String(data), version: node.version + 1 });
    return { value: String(node.version + 1) };
  }
}

const NO_NODE: Outcome = { err: ErrorCode.noNode };

export function isWrite({ type }: Operation): boolean {
  return type !== OpCode.getData && type !== OpCode.getChildren;
}
