import { type MultiPart, OpCode } from 'zk-protocol';
import type { Database } from '../../../libs/zk-embedded/src/database.js';
import type { DataTree } from '../../../libs/zk-embedded/src/tree/data-tree.js';
import type { Ensemble } from '../ensemble/ensemble.js';
import type { Entry, WriteRequest } from '../ensemble/log/entry.js';

const LOCKS = '/locks/';

interface Surroundings {
  /** The address of the operator, who may delete any node. */
  readonly operator: string;
  readonly report: (promise: string, message: string) => void;
}

/** Observes all commits of the servers, as no real process could. */
export class Witness {
  readonly #askedAt = new Map<number, number>();

  constructor(
    servers: Ensemble,
    private readonly surroundings: Surroundings,
  ) {
    servers.onCommit((entry, before) => this.#see(entry, before));
  }

  /** When the leader ordered the write with this zxid, if that is known. */
  writtenAt(zxid: bigint): number | undefined {
    return this.#askedAt.get(Number(zxid));
  }

  #see({ zxid, at, request, refusal }: Entry, { tree, sessions }: Database): void {
    if (refusal !== undefined || request.kind !== 'write') return;
    this.#askedAt.set(zxid, at);
    for (const path of this.#deletedBy(request, tree)) {
      const node = tree.find(path);
      if (!path.startsWith(LOCKS) || node?.owner.kind !== 'session') continue;
      if (node.owner.sessionId === request.sessionId) continue;
      if (request.address === this.surroundings.operator) continue;
      if (!sessions.find(request.sessionId)) continue;
      const message = `${request.address} deleted ${path}, which belongs to another session`;
      this.surroundings.report('deletions', message);
    }
  }

  /** The nodes that a request deletes if it is executed on this tree. */
  #deletedBy({ received }: WriteRequest, tree: DataTree): readonly string[] {
    const { type } = received;
    if (type === OpCode.delete) return [received.body(type).path];
    if (type !== OpCode.multi) return [];
    const parts = received.body(type);
    const deleted = parts.flatMap((part) =>
      part.type === OpCode.delete ? [part.request.path] : [],
    );
    return deleted.length > 0 && parts.every((part) => this.#isPossible(part, tree)) ? deleted : [];
  }

  /** Whether this operation does not make the whole transaction fail. */
  #isPossible({ type, request }: MultiPart, tree: DataTree): boolean {
    if (type !== OpCode.delete && type !== OpCode.check) return true;
    return tree.find(request.path) !== undefined;
  }
}
