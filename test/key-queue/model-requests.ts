import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import type { NodeContent } from '../../libs/zk-client/src/port/zookeeper-client.js';
import { Clock } from '../../libs/zk-client/src/session/clock.js';
import { SessionLease } from '../../libs/zk-client/src/session/session-lease.js';
import { ownHolderData } from '../../libs/zk-locks/src/nodes/holder-data.js';

const HOUR_MS = 3_600_000;
export const OUR_SESSION = 'a';
export const CONNECTED = { name: 'connected', sessionId: OUR_SESSION, timeoutMs: HOUR_MS } as const;
export const LOST = { name: 'lost', sessionId: OUR_SESSION, reason: 'lease-expired' } as const;
const HOLDER_DATA = Buffer.from(ownHolderData('shop', undefined));

export interface ModelNode {
  readonly name: string;
  readonly sequence: number;
  readonly czxid: bigint;
  readonly isOurs: boolean;
  /** Whether the node has holder data, because a process of this library created it. */
  readonly hasHolderData: boolean;
  /** The zxid of the last write to the node, if there was one. */
  writtenAt?: bigint;
}

/**
 * The clients differ in the answer to a `create`: `wire` returns the czxid, `native` the path, with
 * the czxid following later.
 */
export const MODEL_CLIENTS = ['wire', 'native'] as const;
export type ModelClient = (typeof MODEL_CLIENTS)[number];

export interface Creation {
  readonly rank?: number | undefined;
  readonly onSent?: (() => void) | undefined;
}

export interface Request {
  readonly run: () => unknown;
  readonly kind: 'create' | 'delete' | 'list' | 'other';
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onSent?: (() => void) | undefined;
}

export interface NewNode {
  /** The number of a node that takes the place of another one. Otherwise the node is sequential. */
  readonly sequence?: number | undefined;
  /** Whether the creation belongs to the latest transaction. */
  readonly joins?: boolean;
  readonly hasHolderData?: boolean;
}

export function contentOf(
  { czxid, isOurs, hasHolderData }: ModelNode,
  version: number,
): NodeContent {
  const stat = {
    ...{ czxid, mzxid: czxid, pzxid: czxid, version },
    ...{ ctime: new Date(0), mtime: new Date(0), ephemeralOwner: isOurs ? OUR_SESSION : 'b' },
    ...{ aclVersion: 0, childrenVersion: 0, dataLength: 0, numChildren: 0 },
  };
  return { data: hasHolderData ? HOLDER_DATA : Buffer.alloc(0), stat };
}

export const refusal = (code: number): ZooKeeperError => new ZooKeeperError(code, 'request', '/k');
export const connectionLost = (): ZooKeeperError => refusal(ReturnCode.connectionLoss);

/** Calls `tell` after this many microtasks. */
export function later(microtasks: number, tell: () => void): void {
  if (microtasks === 0) tell();
  else queueMicrotask(() => later(microtasks - 1, tell));
}

export function newLease(): SessionLease {
  const clock = new Clock();
  const credentials = { id: OUR_SESSION, password: '' };
  return new SessionLease(credentials, HOUR_MS, 2_000, clock, clock.now());
}
