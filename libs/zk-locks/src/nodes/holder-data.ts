import { hostname } from 'node:os';
import { MOST_DATA_BYTES, type NodeStat } from 'zk-client/recipes';
import { MAX_GRANTS } from './fencing-token.js';
import type { Breaker, HolderData } from '../lock/holder.js';

/** What the holder data say about the use of a node by something other than a single call. */
export type NodeUse = Pick<HolderData, 'permits' | 'cohort' | 'keepMs' | 'election' | 'holds'>;

/** The properties that are omitted if the data would be too long to be read back, in this order. */
const DISPENSABLE = ['holds', 'label', 'application'] as const satisfies (keyof HolderData)[];

/** The room that {@link withRank} needs. */
const RANK_BYTES = Buffer.byteLength(`,"rank":${MAX_GRANTS - 1}`);

/** Encodes holder data so that they are never longer than what is read back. */
function encodeHolder(data: Readonly<Record<string, unknown>> | HolderData): string {
  let text = JSON.stringify(data);
  let holder = data;
  for (const name of DISPENSABLE) {
    if (Buffer.byteLength(text) <= MOST_DATA_BYTES - RANK_BYTES) break;
    holder = { ...holder, [name]: undefined };
    text = JSON.stringify(holder);
  }
  return text;
}

/** Read once: it takes a system call, and each contender includes it. */
let host: string | undefined;

/** The holder data of a contender of this process. */
export function ownHolder(
  application: string | undefined,
  label: string | undefined,
  use?: NodeUse,
  since = new Date(),
): HolderData {
  host ??= hostname();
  return { host, pid: process.pid, application, label, ...use, since: since.toISOString() };
}

/** The data of the node of a contender that asks now: see {@link ownHolder}. */
export function ownHolderData(...about: Parameters<typeof ownHolder>): string {
  return encodeHolder(ownHolder(...about));
}

/** The properties of a JSON object; empty for anything else, or for data longer than ours. */
export function parseProperties(data: Buffer | string): Readonly<Record<string, unknown>> {
  if (data.length > MOST_DATA_BYTES) return {};
  try {
    const value: unknown = JSON.parse(data.toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The holder data in a node, if they have this form. Nodes of other libraries have none. */
export function parseHolderData(data: Buffer): HolderData | undefined {
  const given = parseProperties(data);
  const { host, pid, application, label, permits, cohort, keepMs, election, holds } = given;
  const { since, revokedAt, token, rank } = given;
  if (!isShort(host) || typeof pid !== 'number' || !isShort(since)) return undefined;
  return {
    host,
    pid,
    ...(isShort(application) && { application }),
    // The node of a cohort carries the label of an earlier call.
    ...(isShort(label) && cohort !== true && { label }),
    ...(isCount(permits) && { permits }),
    ...(cohort === true && { cohort }),
    ...(isCount(keepMs) && { keepMs }),
    ...(election === true && { election }),
    ...(areNodes(holds) && { holds }),
    since,
    ...(isShort(revokedAt) && { revokedAt }),
    ...(typeof token === 'string' && /^\d{1,19}$/.test(token) && { token }),
    ...(isCount(rank) && rank < MAX_GRANTS && { rank }),
    ...readBreaker(given.brokenBy),
  };
}

function readBreaker(value: unknown): Pick<HolderData, 'brokenBy'> {
  if (typeof value !== 'object' || value === null) return {};
  const { host, pid, application, at } = value as Record<string, unknown>;
  if (!isShort(host) || typeof pid !== 'number' || !isShort(at)) return {};
  const brokenBy = { host, pid, ...(isShort(application) && { application }), at };
  return { brokenBy };
}

/** A host name has at most 253 characters, a label fewer. */
const LONGEST_TEXT = 255;

export function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Whether these are paths below the root: the directory of a key, and a node in it. */
function areNodes(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > MOST_HELD) return false;
  return value.every((path) => typeof path === 'string' && /^[^/]+\/[^/]+$/.test(path));
}

/** What Curator's `Revoker` writes into a lock's node to ask its holder for the lock. */
const CURATOR_REVOKE = '__REVOKE__';

/**
 * What the data in a holder's node ask for: to release the lock, or to give way to the process that
 * broke it.
 */
export function requestIn(data: Buffer): 'revoke' | Breaker | undefined {
  if (data.equals(Buffer.from(CURATOR_REVOKE))) return 'revoke';
  const holder = parseHolderData(data);
  return holder?.brokenBy ?? (holder?.revokedAt === undefined ? undefined : 'revoke');
}

/** The properties that {@link revokeRequest} uses. */
interface RevocableNode {
  readonly data: Buffer;
  readonly stat: Pick<NodeStat, 'ephemeralOwner'>;
}

/** The prefix of Curator's names. The GUIDs of go-zk and kazoo have no dashes. */
const CURATOR_NAME = /^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-/;

/**
 * What to write into a holder's node to ask for its lock. A node of ours keeps showing who holds
 * it. Undefined if no process would understand the request, which would only overwrite the data: no
 * session owns the node, or it is neither ours nor Curator's.
 */
export function revokeRequest(name: string, { data, stat }: RevocableNode): Buffer | undefined {
  if (!isEphemeral(stat)) return undefined;
  if (!parseHolderData(data)) {
    return CURATOR_NAME.test(name) ? Buffer.from(CURATOR_REVOKE) : undefined;
  }
  return Buffer.from(amendData(data, { revokedAt: new Date().toISOString() }));
}

/** What is added to holder data: by a request, for a twin, or for a guard. */
interface Amendment extends Pick<HolderData, 'revokedAt' | 'brokenBy' | 'token'> {
  /** The name of the guard of a lock node, in the dialect `single-node`. */
  readonly guard?: string;
}

/** Holder data with further properties, which replace data that are not a JSON object. */
export function amendData(data: Buffer | string, amendment: Amendment): string {
  return encodeHolder({ ...parseProperties(data), ...amendment });
}

/** The guard that these data name. */
export function guardOf(data: Buffer): string | undefined {
  const { guard } = parseProperties(data);
  return typeof guard === 'string' && UUID.test(guard) ? guard : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The data of a node whose rank in its transaction is part of its token. */
export function withRank(data: string, rank = 0): string {
  return rank === 0 ? data : `${data.slice(0, -1)},"rank":${rank}}`;
}

/** Whether a session owns the node; the node is removed when that session ends. */
export function isEphemeral({ ephemeralOwner }: Pick<NodeStat, 'ephemeralOwner'>): boolean {
  return ephemeralOwner !== '0';
}

/** The context of a waiting call: the locks that its async context holds. */
export interface Nesting {
  /** The paths of their nodes below the root, innermost first; outer ones may be missing. */
  readonly holds: readonly string[];
  /** The path of its latest node; undefined before the first one is created. */
  node: string | undefined;
}

/** Each waiter's node repeats them. */
export const MOST_HELD = 8;
const MOST_HELD_BYTES = 2_048;

/** @param nodes the paths of what is held, innermost first */
export function newNesting(root: string, nodes: readonly string[]): Nesting {
  const holds: string[] = [];
  let bytes = 0;
  for (const path of nodes.slice(0, MOST_HELD)) {
    const below = path.slice(root.length + 1);
    bytes += Buffer.byteLength(JSON.stringify(below)) + 1;
    if (bytes > MOST_HELD_BYTES) break;
    holds.push(below);
  }
  return { holds, node: undefined };
}
