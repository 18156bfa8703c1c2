import { OpCode, type RequestBody } from 'zk-protocol';
import type { PipelinedSession } from './pipelined-session.js';

export type CreateNode = RequestBody<typeof OpCode.create>;

/** The two requests of a cycle. */
export interface Writes {
  /** @returns the path of the new node */
  create(node: CreateNode): Promise<string>;
  delete(path: string): Promise<void>;
}

/** Sends each request separately. */
export function singly(session: PipelinedSession): Writes {
  return {
    async create(node) {
      const { err, body } = await session.ask(OpCode.create, node);
      if (!body) throw new Error(`create ${node.path}: ${err}`);
      return body.path;
    },
    async delete(path) {
      const { err } = await session.ask(OpCode.delete, { path, version: -1 });
      if (err !== 'ok') throw new Error(`delete ${path}: ${err}`);
    },
  };
}
