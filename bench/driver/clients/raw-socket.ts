import { CreateMode, OpCode, Perms } from 'zk-protocol';
import type { Locksmith } from '../locksmith.js';
import { Batches } from './batches.js';
import { PipelinedSession } from './pipelined-session.js';
import { becomeFirst } from './raw-queue.js';
import { type CreateNode, singly } from './writes.js';

const OPEN_ACL = [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }];
const NO_DATA = Buffer.alloc(0);

export interface RawSocketOptions {
  readonly root?: string;
  /** The maximum number of requests in one `multi`. @default requests are sent separately */
  readonly batch?: number;
  /** Whether a task waits until its node is the first of its directory. @default false */
  readonly queues?: boolean;
}

/** The lower bound for a lock: a node created and deleted over a bare connection. */
export async function openRawSocket(
  servers: string,
  { root = '/raw', batch, queues = false }: RawSocketOptions,
): Promise<Locksmith> {
  const session = await PipelinedSession.open(servers);
  const writes = batch === undefined ? singly(session) : new Batches(session, batch);

  const directories = new Map<string, Promise<unknown>>();
  const directory = async (path: string): Promise<string> => {
    let made = directories.get(path);
    made ??= session.ask(OpCode.create, node(path, CreateMode.persistent));
    directories.set(path, made);
    await made;
    return path;
  };
  const top = await directory(root);
  return {
    async take(key) {
      const queue = await directory(`${top}/${key}`);
      const created = writes.create(node(`${queue}/n-`, CreateMode.ephemeralSequential));
      if (queues) await becomeFirst(session, queue, created);
      const path = await created;
      return () => writes.delete(path);
    },
    close: () => session.close(),
  };
}

function node(path: string, flags: number): CreateNode {
  return { path, flags, data: NO_DATA, acl: OPEN_ACL };
}
