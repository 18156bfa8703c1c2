import { ErrorCode, OpCode, type RequestBody } from 'zk-protocol';
import type { ZooKeeperSocket } from './zookeeper-socket.js';

export type CreateNode = RequestBody<typeof OpCode.create>;

/** The two requests of a cycle. */
export interface Writes {
  /** @returns the path of the new node */
  create(node: CreateNode): Promise<string>;
  delete(path: string): Promise<void>;
}

/** Each request by itself. */
export function singly(socket: ZooKeeperSocket): Writes {
  return {
    async create(node) {
      const { err, body } = await socket.ask(OpCode.create, node);
      if (!body) throw new Error(`create ${node.path}: ${err}`);
      return body.path;
    },
    async delete(path) {
      const { err } = await socket.ask(OpCode.delete, { path, version: -1 });
      if (err !== ErrorCode.ok) throw new Error(`delete ${path}: ${err}`);
    },
  };
}
