import { hostname } from 'node:os';
import { MOST_DATA_BYTES, type NodeStat } from 'zk-client/recipes';
import { MAX_GRANTS } from './fencing-token.js';
import type { HolderData } from '../lock/holder.js';
import type { Breaker } from '../telemetry/events.js';

/** What the holder data say of the use of a node, where that is not one call's. */
export type NodeUse = Pick<HolderData, 'permits' | 'cohort' | 'keepMs' | 'election' | 'holds'>;

/** What data leave out that would be too long to be read again, in this order. */
const DISPENSABLE = ['holds', 'label', 'application'] as const satisfies (keyof HolderData)[];

/** What {@link withRank} may add. */
const RANK_BYTES = Buffer.byteLength(`,"rank":${MAX_GRANTS - 1}`);

/** Holder data as they are written: never longer than what is read. */
function encodeHolder(data: Readonly<Record<string, unknown>> | HolderData): string {
  let holder: Readonly<Record<string, unknown>> = { ...data };
  for (const name of DISPENSABLE) {
    const text = JSON.stringify(holder);
    if (Buffer.byteLength(text) <= MOST_DATA_BYTES - RANK_BYTES) return text;
    holder = { ...holder, [name]: undefined };
  }
  return JSON.stringify(holder);
}

/** Asked for once: it takes a system call, and each contender names it. */
let host: string | undefined;

/** A contender of this process. */
export function ownHolder(
  application: string | undefined,
  label: string | undefined,
  use?: NodeUse,
  since = new Date(),
): HolderData {
  host ??= hostname();
  return { host, pid: process.pid, application, label, ...use, since: since.toISOString() };
}

/** What the node of a contender says that asks now: {@link ownHolder}. */
export function ownHolderData(...about: Parameters<typeof ownHolder>): string {
  return encodeHolder(ownHolder(...about));
}

/** The properties of an object in JSON; none, where it is anything else, or longer than ours. */
export function parseProperties(data: Buffer): Readonly<Record<string, unknown>> {
  if (data.length > MOST_DATA_BYTES) return {};
  try {
    const value: unknown = JSON.parse(data.toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** What a node's data say, where they are of this form; the nodes of other libraries are not. */
export function parseHolderData(data: Buffer): HolderData | undefined {
  const given = parseProperties(data);
  const { host, pid, application, label, permits, cohort, keepMs, election, holds } = given;
  const { since, revokedAt, token, rank } = given;
  if (!isShort(host) || typeof pid !== 'number' || !isShort(since)) return undefined;
  return {
    host,
    pid,
    ...(isShort(application) && { application }),
    // Of a node that serves several calls, it is that of an earlier one.
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

/** The name of a host has 253 characters at most, a label of ours fewer. */
const LONGEST_TEXT = 255;

function isShort(value: unknown): value is string {
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

/** What Curator's `Revoker` writes into the node of a lock that its holder should release. */
const CURATOR_REVOKE = '__REVOKE__';

/** What these data of a holder's node ask for: its lock, or that it gives way to who has broken it. */
export function requestIn(data: Buffer): 'revoke' | Breaker | undefined {
  if (data.equals(Buffer.from(CURATOR_REVOKE))) return 'revoke';
  const holder = parseHolderData(data);
  return holder?.brokenBy ?? (holder?.revokedAt === undefined ? undefined : 'revoke');
}

/** What {@link revokeRequest} looks at. */
interface RevocableNode {
  readonly data: Buffer;
  readonly stat: Pick<NodeStat, 'ephemeralOwner'>;
}

/** What Curator puts before the rest of a name; go-zk's and kazoo's GUIDs have no dashes. */
const CURATOR_NAME = /^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-/;

/**
 * What to write into a holder's node to ask for its lock: one of ours goes on saying who holds it.
 * Undefined where no process would understand it, so that it would only destroy what stands there:
 * no session owns the node, or it is neither ours nor Curator's.
 */
export function revokeRequest(name: string, { data, stat }: RevocableNode): Buffer | undefined {
  if (!isEphemeral(stat)) return undefined;
  if (!parseHolderData(data)) {
    return CURATOR_NAME.test(name) ? Buffer.from(CURATOR_REVOKE) : undefined;
  }
  const holder = JSON.parse(data.toString()) as HolderData;
  return Buffer.from(encodeHolder({ ...holder, revokedAt: new Date().toISOString() }));
}

/** What the lock node of the dialect `single-node` says besides: the name of its guard. */
export function withGuard(data: string, guard: string): Buffer {
  return Buffer.from(encodeHolder({ ...(JSON.parse(data) as HolderData), guard }));
}

/** The guard that these data name; undefined where they are another program's. */
export function guardOf(data: Buffer): string | undefined {
  if (!parseHolderData(data)) return undefined;
  const { guard } = JSON.parse(data.toString()) as { guard?: unknown };
  return typeof guard === 'string' && UUID.test(guard) ? guard : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a node says whose rank in its transaction is a part of its token. */
export function withRank(data: string, rank = 0): string {
  return rank === 0 ? data : `${data.slice(0, -1)},"rank":${rank}}`;
}

/** What a node says that stands for a grant of another node. */
export function dataOfTwin(data: string, token: bigint): string {
  const holder = parseHolderData(Buffer.from(data));
  return holder ? encodeHolder({ ...holder, token: String(token) }) : data;
}

/** What to write into the node of a contender that is broken. */
export function breakRequest(current: Buffer, brokenBy: Breaker): Buffer {
  return Buffer.from(encodeHolder({ ...parseProperties(current), brokenBy }));
}

/** Whether a session owns the node, whose end removes it. */
export function isEphemeral({ ephemeralOwner }: Pick<NodeStat, 'ephemeralOwner'>): boolean {
  return ephemeralOwner !== '0';
}

/** What a call waits under: the locks that its async context holds. */
export interface Nesting {
  /** Paths of their nodes below the root, innermost first; the outer ones may be missing. */
  readonly holds: readonly string[];
  /** The path of its latest node; undefined before it has one of its own. */
  node: string | undefined;
}

/** Each waiter's node repeats them. */
const MOST_HELD = 8;
const MOST_HELD_BYTES = 2_048;

/** @param nodes paths of what is held, innermost first */
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
