import { onTestFinished } from 'vitest';
import {
  type ACL,
  type ConnectRequest,
  CreateMode,
  OpCode,
  Perms,
  type ReplyBody,
  type RequestBody,
  type Stat,
} from 'zk-protocol';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';
import { WireClient, type WireReply } from '../support/wire-client.js';

const OPEN: readonly ACL[] = [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }];

type Op = typeof OpCode;
type Creation = RequestBody<Op['create']>;

/** Methods for the most frequent requests of these tests. */
export class Wire {
  constructor(readonly client: WireClient) {}

  create(path: string, more: Partial<Creation> = {}): Promise<WireReply<Op['create']>> {
    return this.client.ask(OpCode.create, creation(path, more));
  }

  remove(path: string, version = -1): Promise<WireReply<Op['delete']>> {
    return this.client.ask(OpCode.delete, { path, version });
  }

  exists(path: string, watch = false): Promise<WireReply<Op['exists']>> {
    return this.client.ask(OpCode.exists, { path, watch });
  }

  getData(path: string, watch = false): Promise<WireReply<Op['getData']>> {
    return this.client.ask(OpCode.getData, { path, watch });
  }

  setData(path: string, text = '', version = -1): Promise<WireReply<Op['setData']>> {
    return this.client.ask(OpCode.setData, { path, data: Buffer.from(text), version });
  }

  getChildren(path: string, watch = false): Promise<WireReply<Op['getChildren2']>> {
    return this.client.ask(OpCode.getChildren2, { path, watch });
  }

  authenticate(credentials: string, scheme = 'digest'): Promise<WireReply<Op['auth']>> {
    return this.client.ask(OpCode.auth, { type: 0, scheme, auth: Buffer.from(credentials) });
  }

  /** @throws {Error} if there is no such node */
  async stat(path: string): Promise<Stat> {
    return bodyOf(await this.exists(path)).stat;
  }

  /** @throws {Error} if there is no such node */
  async children(path: string): Promise<string[]> {
    return [...bodyOf(await this.getChildren(path)).children].sort();
  }
}

export function creation(path: string, more: Partial<Creation> = {}): Creation {
  return { path, data: Buffer.from('data'), acl: OPEN, flags: CreateMode.persistent, ...more };
}

/** @throws {Error} naming the error of the answer */
export function bodyOf<T extends Parameters<WireClient['ask']>[0]>(
  reply: WireReply<T>,
): ReplyBody<T> {
  if (reply.err !== 'ok') throw new Error(`answered with ${reply.err}`);
  return reply.body!;
}

/** Opens a session that ends with the test. */
export async function openWire(request: Partial<ConnectRequest> = {}): Promise<Wire> {
  const client = await WireClient.connect(sharedServer().port, request);
  onTestFinished(() => client.close());
  return new Wire(client);
}

/** A node for this test alone, and a session. */
export async function openScene(): Promise<{ root: string; wire: Wire }> {
  return { root: await ownNode(), wire: await openWire() };
}
