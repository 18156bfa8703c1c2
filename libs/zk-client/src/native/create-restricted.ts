import type { Acl } from '../port/user.js';
import {
  hasReturnCode,
  isConnectionError,
  ReturnCode,
  ZooKeeperError,
} from '../port/client-errors.js';
import type { Created, CreateMode } from '../port/zookeeper-client.js';

/** What npm `zookeeper` offers to create a node for one user: its `create` takes no ACL. */
export interface OpenCreation {
  /** The node is open to everyone. */
  createOpen(path: string, data: Buffer, mode: CreateMode): Promise<Created>;
  setAcl(path: string, acl: Acl): Promise<void>;
  /** Its czxid; undefined if another client has written to the node before. */
  setFirst(path: string, data: Buffer): Promise<bigint | undefined>;
  delete(path: string): Promise<void>;
}

const NO_DATA = Buffer.alloc(0);

/** Creates a node, and restricts it. An open node never says who holds a lock. */
export function createRestricted(
  client: OpenCreation,
  path: string,
  data: Buffer,
  mode: CreateMode,
  acl: Acl,
): Promise<Created> {
  if (mode === 'ephemeral-sequential') return createNumbered(client, path, data, mode, acl);
  return createNamed(client, path, data, mode, acl);
}

/** Its czxid, where it is known. The requests leave in this turn. */
export async function completeNode(
  client: OpenCreation,
  path: string,
  data: Buffer,
  acl: Acl,
): Promise<bigint | undefined> {
  const [, czxid] = await Promise.all([client.setAcl(path, acl), client.setFirst(path, data)]);
  return czxid;
}

/**
 * Completes a node in the turn of the answer that it was created: its path, or that the node is its
 * own, is known only then.
 */
export async function createNumbered(
  client: OpenCreation,
  path: string,
  data: Buffer,
  mode: CreateMode,
  acl: Acl,
): Promise<Created> {
  const created = await client.createOpen(path, NO_DATA, mode);
  try {
    return { path: created.path, czxid: await completeNode(client, created.path, data, acl) };
  } catch (cause) {
    // It is there, or was: a refusal would say that it is not.
    throw new ZooKeeperError(ReturnCode.runtimeInconsistency, 'create', path, { cause });
  }
}

/**
 * Completes a node that is there already, too: an earlier answer may have been lost. One that cannot
 * be restricted is removed.
 */
async function createNamed(
  client: OpenCreation,
  path: string,
  data: Buffer,
  mode: CreateMode,
  acl: Acl,
): Promise<Created> {
  const isEphemeral = mode === 'ephemeral';
  const creating = client.createOpen(path, isEphemeral ? NO_DATA : data, mode);
  // In the same round trip: this process may end between two.
  const completing = isEphemeral ? completeNode(client, path, data, acl) : client.setAcl(path, acl);
  const [creation, completion] = await Promise.allSettled([creating, completing]);
  const isThere =
    creation.status === 'fulfilled' || hasReturnCode(creation.reason, ReturnCode.nodeExists);
  if (isThere && completion.status === 'rejected') {
    if (!isConnectionError(completion.reason)) await remove(client, path);
    throw completion.reason;
  }
  return creating;
}

/** @throws {ZooKeeperError} where it may still be there, since the answer is missing */
async function remove(client: OpenCreation, path: string): Promise<void> {
  try {
    await client.delete(path);
  } catch (error) {
    if (isConnectionError(error)) throw error;
  }
}
