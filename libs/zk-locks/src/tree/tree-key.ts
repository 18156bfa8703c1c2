import { isUtf8 } from 'node:buffer';
import { cleanText } from '../clean-text.js';
import type { NodeContent } from '../client/zookeeper-client.js';
import { type Contender, contenderOf, contendersOf, holdersOf } from '../inspection/inspection.js';
import type { GuardKind } from '../lock-errors.js';
import { keyOf } from '../key-path.js';
import type { DialectName, FoundQueue, QueueNode } from '../queue/dialect.js';
import { agreedPermitsOf, sequenceOf } from '../semaphore/permit-agreement.js';
import { heldLeases } from '../semaphore/semaphore-inspection.js';
import type { LastRun } from '../runs/runs.js';

/** A key with all who hold it or wait for it, in all processes. */
export interface TreeKey {
  readonly key: string;
  /** Of its directory, with the chroot. */
  readonly path: string;
  readonly kind: 'lock' | 'semaphore' | 'single-node';
  /** One writer, or readers, or one for each permit that is taken. */
  readonly holders: readonly TreeContender[];
  /** The next one first, and no more than {@link MOST_READ} of them. */
  readonly waiters: readonly TreeContender[];
  /** How many hold it or wait, also those who are not listed. */
  readonly total: number;
  /** The highest sequence number of its nodes; undefined where they have none. */
  readonly lastSequence: number | undefined;
  /** How many permits there are; undefined where its nodes do not say it, as with a shared count. */
  readonly permits: number | undefined;
  /** Whose names the nodes of a lock have: more than one where programs do not agree. */
  readonly dialects: readonly DialectName[];
  /** Children of a lock's directory that are no lock nodes. */
  readonly strangers: readonly string[];
  /** Whether an ACL hides who holds it and who waits. */
  readonly isHidden: boolean;
  /** The latest run of its job, by `runAtMostEvery`. */
  readonly lastRun: LastRun | undefined;
}

export interface TreeContender extends Omit<Contender, 'mode'> {
  readonly mode: GuardKind;
  /** In hex, without `0x`; undefined for a node that no session owns. Who knows it can end the session. */
  readonly session: string | undefined;
  /** Of other libraries: what their node says, as one line of 200 characters at most. */
  readonly text: string | undefined;
}

/** The most contenders of a key that are read, in their order. */
export const MOST_READ = 5_000;

const LONGEST_TEXT = 200;

/** What is known of a directory with contenders in it. */
export interface Folder {
  readonly names: readonly string[];
  readonly queue: FoundQueue;
  /** The content of those that were read. */
  readonly contents: ReadonlyMap<string, NodeContent>;
}

/** What there is below a key's directory. */
export type KeyContent =
  | { readonly kind: 'hidden' }
  | { readonly kind: 'lock'; readonly queue: Folder }
  | {
      readonly kind: 'semaphore';
      readonly queue: Folder;
      readonly leases: Folder;
      /** The data of the directory of leases. */
      readonly agreed: Buffer | undefined;
    };

export interface KeyPlace {
  readonly segment: string;
  readonly path: string;
}

const NOTHING = {
  kind: 'lock',
  holders: [],
  waiters: [],
  total: 0,
  lastSequence: undefined,
  permits: undefined,
  dialects: [],
  strangers: [],
  isHidden: false,
  lastRun: undefined,
} as const satisfies Omit<TreeKey, 'key' | 'path'>;

/** @param content undefined where there is no directory */
export function describeKey(
  { segment, path }: KeyPlace,
  content: KeyContent | undefined,
  lastRun?: LastRun,
): TreeKey {
  const known = { ...NOTHING, key: keyOf(segment), path, lastRun };
  if (!content) return known;
  if (content.kind === 'hidden') return { ...known, isHidden: true };
  return { ...known, ...(content.kind === 'lock' ? lock(content.queue) : semaphore(content)) };
}

function lock({ queue, contents }: Folder): Partial<TreeKey> {
  const { nodes, dialects, strangers } = queue;
  const contenders = contendersOf(nodes);
  const holding = holdersOf(contenders);
  const isSingle = dialects.includes('single-node');
  const last = isSingle ? undefined : contenders.at(-1)?.sequence;
  return {
    kind: isSingle ? 'single-node' : 'lock',
    holders: describe(holding, contents),
    waiters: describe(contenders.slice(holding.length), contents),
    total: contenders.length,
    lastSequence: last,
    dialects,
    strangers,
  };
}

function semaphore({
  queue,
  leases,
  agreed,
}: Extract<KeyContent, { kind: 'semaphore' }>): Partial<TreeKey> {
  const { nodes } = queue.queue;
  const permits = agreedPermitsOf(agreed, leases.names);
  const waiters = describe(nodes, queue.contents, 'permit');
  const wanted = waiters[0] && (waiters[0].holder?.permits ?? 1);
  const held = heldLeases(leases.names, permits ?? Infinity, wanted);
  const taken = held.map((name) => ({ name, mode: 'write' as const, sequence: sequenceOf(name) }));
  const numbers = [nodes.at(-1)?.sequence ?? -1, ...leases.names.map(sequenceOf)];
  const last = numbers.reduce((a, b) => Math.max(a, b));
  return {
    kind: 'semaphore',
    holders: describe(taken, leases.contents, 'permit'),
    waiters,
    total: held.length + nodes.length,
    lastSequence: last < 0 ? undefined : last,
    permits,
  };
}

function describe(
  nodes: readonly QueueNode[],
  contents: ReadonlyMap<string, NodeContent>,
  mode?: 'permit',
): TreeContender[] {
  return nodes.flatMap((node) => {
    const content = contents.get(node.name);
    return content ? [describeNode(node, content, mode)] : [];
  });
}

function describeNode(node: QueueNode, content: NodeContent, mode?: 'permit'): TreeContender {
  const contender = contenderOf(node, content);
  const { ephemeralOwner } = content.stat;
  return {
    ...contender,
    mode: mode ?? contender.mode,
    session: contender.isEphemeral ? ephemeralOwner : undefined,
    text: contender.holder ? undefined : textOf(content.data),
  };
}

function textOf(data: Buffer): string | undefined {
  const start = data.subarray(0, 4 * LONGEST_TEXT);
  const isText = data.length > 0 && (start.length < data.length || isUtf8(data));
  return isText ? cleanText(start.toString()).slice(0, LONGEST_TEXT) : undefined;
}
