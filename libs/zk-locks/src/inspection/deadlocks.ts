import {
  hasReturnCode,
  isConnectionError,
  join,
  parentOf,
  readShort,
  ReturnCode,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { areSemaphoreParts, hasLockNodes, keyOfDirectory } from '../lock/key-path.js';
import type { Deadlock } from '../lock/deadlock.js';
import type { QueueNode } from '../nodes/dialect.js';
import { type Nesting, ownHolder, parseHolderData } from '../nodes/holder-data.js';
import type { HolderData } from '../lock/holder.js';
import type { QueueContext } from '../queue/lock-node.js';
import { atOnce, inSlices } from '../slices.js';
import { type Circle, WaitGraph, type WaitingCall } from './deadlock-circle.js';

/** The deadlocks that were found across all processes. */
export interface DeadlockReport {
  /** At most ten. */
  readonly deadlocks: readonly Deadlock[];
  /**
   * The number of waiters whose locks are unknown: those of other libraries, of processes with the
   * option `cohort`, hidden by ACLs, or beyond the first 1,000. A directory that is
   * hidden, or has foreign nodes, counts as one.
   */
  readonly unknown: number;
  /**
   * Whether there are more than 1,000 waiters; only that many are examined, so there may be more
   * deadlocks.
   */
  readonly isCut?: boolean;
}

/** The maximum number of waiters that are read around one lock. */
const MOST_AROUND_ONE = 100;

const MOST_IN_ALL = 1_000;

const LISTS_AT_ONCE = 50;

/**
 * Finds calls that wait for each other in a circle, across all processes. A waiter's node names the
 * nodes that its call holds, and the order of a queue shows which nodes keep it waiting.
 *
 * The nodes are read one after the other. A circle is reported only if all its nodes still exist in
 * a second reading: a deleted node never comes back, so all of them existed at the same time
 * between the two readings.
 */
export class DeadlockFinder {
  constructor(private readonly context: QueueContext) {}

  /** The circle that a call was part of until its wait ended. */
  async ofCall(
    lease: SessionLease,
    { node, holds }: Nesting,
    label: string | undefined,
  ): Promise<Deadlock | undefined> {
    if (node === undefined) return undefined;
    const sight = new Sight(this.context, lease, MOST_AROUND_ONE);
    const own = await sight.ended(node, holds, ownHolder(this.context.application, label));
    if (!own) return undefined;
    const circle = new WaitGraph(await sight.callsAround([own])).circleThrough(own);
    return circle && this.#confirmed(lease, circle);
  }

  /** The circles of the waiters in one directory. */
  async ofDirectory(lease: SessionLease, directory: string): Promise<readonly Deadlock[]> {
    const sight = new Sight(this.context, lease, MOST_AROUND_ONE);
    const segment = directory.slice(this.context.root.length + 1);
    const waiting = await sight.waitersIn(segment);
    const graph = new WaitGraph(await sight.callsAround(waiting));
    const isOfHere = new Set(waiting);
    const circles = graph
      .circles()
      .filter((circle) => circle.some(({ call }) => isOfHere.has(call)));
    return this.#allConfirmed(lease, circles);
  }

  /** @throws the error of `wait` once that is over */
  async all(lease: SessionLease, wait: Wait): Promise<DeadlockReport> {
    const { directories, root } = this.context;
    const sight = new Sight(this.context, lease, MOST_IN_ALL);
    const segments = (await directories.list(lease, root)).filter(hasLockNodes);
    const calls: SeenCall[] = [];
    for (let from = 0; from < segments.length; from += LISTS_AT_ONCE) {
      wait.throwIfOver();
      const some = segments.slice(from, from + LISTS_AT_ONCE);
      const found = await Promise.all(some.map((segment) => sight.waitersIn(segment)));
      calls.push(...found.flat());
    }
    const circles = new WaitGraph(calls).circles();
    const deadlocks = await this.#allConfirmed(lease, circles);
    return { deadlocks, unknown: sight.unknown, ...(sight.isFull && { isCut: true }) };
  }

  async #allConfirmed(
    lease: SessionLease,
    circles: readonly Circle<SeenCall>[],
  ): Promise<readonly Deadlock[]> {
    const sight = new Sight(this.context, lease, 0);
    const confirmed = circles.map((circle) => this.#confirmed(lease, circle, sight));
    return (await Promise.all(confirmed)).filter((deadlock) => deadlock !== undefined);
  }

  async #confirmed(
    lease: SessionLease,
    circle: Circle<SeenCall>,
    sight = new Sight(this.context, lease, 0),
  ): Promise<Deadlock | undefined> {
    const still = await Promise.all(
      circle.map(async ({ call }, index) => {
        const wanted = circle[(index + 1) % circle.length]?.held ?? '';
        return (await sight.again(call))?.waitsFor(wanted) === true;
      }),
    );
    return still.includes(false) ? undefined : describeCircle(circle);
  }
}

export function describeCircle(circle: Circle<SeenCall>): Deadlock {
  return circle.map(({ call, held }) => ({
    holder: call.holder,
    holds: keyOfDirectory(parentOf(held)),
    waitsFor: keyOfDirectory(call.queue.segment),
    node: join(call.queue.segment, call.own.name),
  }));
}

/** A node of a queue, with the highest number among the nodes that keep it waiting. */
interface Place extends QueueNode {
  readonly reach: number;
}

export interface SeenQueue {
  /** The name of its directory below the root. */
  readonly segment: string;
  /** By name, in order. */
  readonly places: ReadonlyMap<string, Place>;
}

/** A waiting node, with what it says about its call. */
export class SeenCall implements WaitingCall {
  constructor(
    readonly queue: SeenQueue,
    readonly own: Place,
    readonly holder: HolderData,
    readonly holds: readonly string[],
    /** Whether it has just stopped waiting. */
    readonly hasEnded = false,
  ) {}

  get reach(): number {
    return this.own.reach;
  }

  waitsFor(path: string): boolean {
    const { segment, places } = this.queue;
    if (!path.startsWith(`${segment}/`)) return false;
    const node = places.get(path.slice(segment.length + 1));
    // Compared by number: after an upgrade, a holder has another node in the same place.
    return node !== undefined && node.sequence <= this.own.reach;
  }
}

/**
 * A writer waits for all nodes before it. A reader waits for the last writer before it, and so for
 * everything that this writer waits for.
 */
export function placesOf(order: readonly QueueNode[]): Map<string, Place> {
  const places = new Map<string, Place>();
  let latest = -1;
  let before = -1;
  for (const node of order) {
    const { name, mode, sequence } = node;
    const isWriter = mode === 'write';
    if (isWriter && sequence !== latest) [before, latest] = [latest, sequence];
    // A writer that also reads has two nodes with the same number.
    const writer = sequence === latest ? before : latest;
    places.set(name, { name, mode, sequence, reach: isWriter ? sequence - 1 : writer });
  }
  return places;
}

/** The former place of a node that is gone. */
function placeIn({ places }: SeenQueue, own: QueueNode): Place {
  const before = [...places.values()].filter(({ sequence }) => sequence < own.sequence);
  return placesOf([...before, own]).get(own.name) ?? { ...own, reach: -1 };
}

interface AskedQueue extends SeenQueue {
  /** The nodes that have not been examined yet, sorted by how far they wait. */
  readonly unasked: Place[];
}

/** A directory may have many thousands of nodes, so each step has its own slice of time. */
function* askedQueue(
  segment: string,
  order: readonly QueueNode[],
): Generator<undefined, AskedQueue> {
  yield;
  const places = placesOf(order);
  yield;
  return { segment, places, unasked: [...places.values()].sort((a, b) => a.reach - b.reach) };
}

/** What is seen in one reading: each directory is listed once, and each waiter is read once. */
class Sight {
  unknown = 0;
  /** Whether there are more waiters than may be read. */
  isFull = false;
  readonly #queues = new Map<string, Promise<AskedQueue>>();
  #read = 0;

  /** @param most the maximum number of waiters to read */
  constructor(
    private readonly context: QueueContext,
    private readonly lease: SessionLease,
    private readonly most: number,
  ) {}

  /** A call whose node is gone, as if it still waited. */
  async ended(
    path: string,
    holds: readonly string[],
    holder: HolderData,
  ): Promise<SeenCall | undefined> {
    const { root, dialect } = this.context;
    const [segment = '', name = ''] = path.slice(root.length + 1).split('/');
    const [own] = atOnce(dialect.parse(segment, [name]));
    const queue = await this.#queue(segment);
    return own && new SeenCall(queue, placeIn(queue, own), holder, holds, true);
  }

  /** The same call in this reading. */
  async again(call: SeenCall): Promise<SeenCall | undefined> {
    const { own, holder, holds, hasEnded } = call;
    const queue = await this.#queue(call.queue.segment);
    const place = hasEnded ? placeIn(queue, own) : queue.places.get(own.name);
    return place && new SeenCall(queue, place, holder, holds, hasEnded);
  }

  /** The waiters in a directory whose nodes say what they hold. */
  async waitersIn(segment: string): Promise<SeenCall[]> {
    const queue = await this.#queue(segment);
    const [first] = queue.places.values();
    return first ? this.#waitersFor(queue, first) : [];
  }

  /** The given calls, and all calls that wait for them, directly or indirectly. */
  async callsAround(seeds: readonly SeenCall[]): Promise<readonly SeenCall[]> {
    const known = [...seeds];
    let latest: readonly SeenCall[] = seeds;
    while (latest.length > 0) {
      const held = new Set(latest.flatMap(({ holds }) => holds));
      const found = await Promise.all(Array.from(held, (path) => this.#waitersForPath(path)));
      latest = found.flat();
      known.push(...latest);
    }
    return known;
  }

  async #waitersForPath(path: string): Promise<SeenCall[]> {
    const [segment = '', name = ''] = path.split('/');
    const queue = await this.#queue(segment);
    const held = queue.places.get(name);
    return held ? this.#waitersFor(queue, held) : [];
  }

  /** Leaves out those that were found before. */
  async #waitersFor(queue: AskedQueue, { sequence }: Place): Promise<SeenCall[]> {
    const { unasked } = queue;
    const first = unasked.findLastIndex(({ reach }) => reach < sequence) + 1;
    const waiting = unasked.splice(first);
    const wanted = waiting.slice(0, this.most - this.#read);
    this.#read += wanted.length;
    this.unknown += waiting.length - wanted.length;
    this.isFull ||= wanted.length < waiting.length;
    const calls = await Promise.all(wanted.map((place) => this.#call(queue, place)));
    return calls.filter((call) => call !== undefined);
  }

  #queue(segment: string): Promise<AskedQueue> {
    const known = this.#queues.get(segment);
    if (known) return known;
    const queue = this.#list(segment);
    this.#queues.set(segment, queue);
    return queue;
  }

  async #list(segment: string): Promise<AskedQueue> {
    const { directories, dialect, root } = this.context;
    const directory = join(root, segment);
    let order: readonly QueueNode[] = [];
    try {
      const names = await directories.list(this.lease, directory);
      if (!areSemaphoreParts(names)) {
        order = await inSlices(dialect.parse(directory, names));
      }
    } catch (error) {
      if (isConnectionError(error)) throw error;
      this.unknown++;
    }
    return inSlices(askedQueue(segment, order));
  }

  /** Undefined if the call holds nothing, or its node does not say what. */
  async #call(queue: SeenQueue, place: Place): Promise<SeenCall | undefined> {
    const { session, root } = this.context;
    try {
      const path = join(join(root, queue.segment), place.name);
      const content = await readShort(session, this.lease, path);
      if (!content) return undefined;
      const holder = parseHolderData(content.data);
      if (!holder || holder.cohort) this.unknown++;
      return holder?.holds && new SeenCall(queue, place, holder, holder.holds);
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
      this.unknown++;
      return undefined;
    }
  }
}
