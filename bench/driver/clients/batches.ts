import { type MultiPart, type MultiResult, OpCode } from 'zk-protocol';
import type { CreateNode, Writes } from './writes.js';
import type { PipelinedSession } from './pipelined-session.js';

interface Part {
  readonly part: MultiPart;
  readonly resolve: (result: MultiResult | undefined) => void;
}

/**
 * Collects the writes of one turn of the event loop, and sends up to a given number in one `multi`.
 */
export class Batches implements Writes {
  #gathered: Part[] = [];

  constructor(
    private readonly session: PipelinedSession,
    private readonly most: number,
  ) {}

  async create(node: CreateNode): Promise<string> {
    const result = await this.#add({ type: OpCode.create, request: node });
    if (result?.type !== OpCode.create) throw new Error(`create ${node.path} in a multi`);
    return result.reply.path;
  }

  async delete(path: string): Promise<void> {
    const result = await this.#add({ type: OpCode.delete, request: { path, version: -1 } });
    if (result?.type !== OpCode.delete) throw new Error(`delete ${path} in a multi`);
  }

  #add(part: MultiPart): Promise<MultiResult | undefined> {
    return new Promise((resolve) => {
      if (this.#gathered.length === 0) setImmediate(() => void this.#send());
      this.#gathered.push({ part, resolve });
      if (this.#gathered.length === this.most) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const parts = this.#gathered;
    if (parts.length === 0) return;
    this.#gathered = [];
    const { body } = await this.session.ask(
      OpCode.multi,
      parts.map(({ part }) => part),
    );
    for (const [index, { resolve }] of parts.entries()) resolve(body?.[index]);
  }
}
