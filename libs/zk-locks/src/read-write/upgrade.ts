import type { LocksContext } from '../grant/locks-context.js';
import { explainRefusal } from '../queue/wait.js';
import { createListedNode, type ListedNode, type NewLockNode } from '../queue/lock-node.js';
import { aheadOf, otherReaders, type QueueNode } from '../nodes/dialect.js';
import { amendData } from '../nodes/holder-data.js';
import { nextChange } from '../queue/next-event.js';
import {
  type Created,
  createNode,
  join,
  nameOf,
  retryUntilAnswered,
  type Wait,
} from 'zk-client/recipes';
import { inSlices } from '../slices.js';
import { type NodeGrant, twinOf } from '../grant/node-grant.js';
import { type LockRequest, readWriteNode } from './read-write-locks.js';

/**
 * Turns an upgradable reader into a writer once no other reader holds the lock:
 *
 * 1. A marker, a writer's node at the end of the queue, stops readers that come later.
 * 2. The upgrade waits for the readers before the marker, but not for those behind another writer,
 * because that writer waits for us.
 * 3. A writer's node in our own place also stops those, in case that other writer gives up. A
 * reader that was faster may hold the lock or wait for that node: then the node is removed, and
 * step 2 follows.
 *
 * Meanwhile, the reader's own node keeps all writers out, and no place in the queue changes. Unless
 * the result is true, only the reader's node is left at the end.
 *
 * @returns whether it is a writer now, with a share for the caller; false when the grant has lost a
 * node, or an operator has deleted the marker
 * @throws the error of `wait` once that is over
 * @throws {SessionOverError} {@link LockAccessError}
 */
export async function upgrade(
  grant: NodeGrant,
  request: LockRequest,
  wait: Wait,
  context: LocksContext,
): Promise<boolean> {
  const work = new Upgrade(grant, readWriteNode(request, context), wait, context);
  return explainRefusal(context.session, request.directory, () => work.run());
}

class Upgrade {
  /** The writer's node in our own place, while it exists. */
  #writer: string | undefined;

  constructor(
    private readonly grant: NodeGrant,
    private readonly marker: NewLockNode,
    private readonly wait: Wait,
    private readonly context: LocksContext,
  ) {}

  async run(): Promise<boolean> {
    const { grant, context, wait } = this;
    const { path, names } = await this.#createMarker();
    let isWriter = false;
    try {
      const writer = await this.#waitForReaders(path, names);
      if (writer === undefined || !(await wait.for(grant.addPath(writer)))) return false;
      // In the same turn as the answer, so that no release in between can be that of the last
      // writer.
      wait.throwIfOver();
      grant.startWriting(writer);
      isWriter = true;
      return true;
    } finally {
      // The marker is no longer needed: the writer's node has a place before it.
      void context.remover.remove(grant.lease, path);
      if (!isWriter) void this.#takeBack();
    }
  }

  #createMarker(): Promise<ListedNode> {
    const { context, grant, marker, wait } = this;
    return this.#created(createListedNode(context, grant.lease, marker, wait));
  }

  /**
   * Returns our writer's node when no other call can hold the lock any more, or undefined if the
   * marker is gone.
   */
  async #waitForReaders(
    marker: string,
    namesAtStart: string[] | undefined,
  ): Promise<string | undefined> {
    const { context, grant, wait } = this;
    const { dialect, session } = context;
    const { lease, sequence } = grant;
    const { directory } = this.marker;
    let queue = namesAtStart
      ? await inSlices(dialect.parse(directory, namesAtStart))
      : await this.#list();
    for (;;) {
      const ahead = aheadOf(queue, nameOf(marker));
      if (!ahead) return undefined;
      const reader = otherReaders(ahead, sequence).at(-1);
      if (!reader && this.#writer !== undefined) return this.#writer;
      if (reader) {
        wait.blocked();
        wait.throwIfOver();
        await wait.for(this.#takeBack());
        await nextChange({ session, lease, wait }, join(directory, reader.name));
      } else {
        await this.#place();
      }
      queue = await this.#list();
    }
  }

  async #place(): Promise<void> {
    const { context, marker } = this;
    const { path, lease, fencingToken } = this.grant;
    const data = amendData(marker.data, { token: String(fencingToken) });
    const twin = twinOf(context.dialect, path, 'write', data);
    const { path: writer } = await this.#created(createNode(context, lease, twin, this.wait));
    this.#writer = writer;
  }

  /** The new node, which is removed if the wait ends first. */
  async #created<T extends Created>(creating: Promise<T>): Promise<T> {
    try {
      return await this.wait.for(creating);
    } catch (error) {
      this.context.remover.adopt(this.grant.lease, creating);
      throw error;
    }
  }

  async #takeBack(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    if (writer !== undefined) await this.grant.drop(writer);
  }

  #list(): Promise<QueueNode[]> {
    const { session, directories, dialect } = this.context;
    const { lease } = this.grant;
    const { directory } = this.marker;
    return this.wait.for(
      retryUntilAnswered(session, lease, () => directories.queueIn(lease, directory, dialect)),
    );
  }
}
