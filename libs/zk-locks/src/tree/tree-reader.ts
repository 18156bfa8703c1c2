import { hasReturnCode, ReturnCode } from '../client/client-errors.js';
import { join } from '../client/node-path.js';
import type { NodeContent } from '../client/zookeeper-client.js';
import { areSemaphoreParts, semaphorePathsOf } from '../key-path.js';
import { findQueue } from '../queue/dialect.js';
import { sequenceOf } from '../semaphore/permit-agreement.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { orIfGone } from '../session/session-requests.js';
import { type Folder, type KeyContent, MOST_READ } from './tree-key.js';

const NOTHING: Folder = { names: [], queue: findQueue([]), contents: new Map() };

/** Reads what is new below a key's directory; nodes that were read before are not read again. */
export class TreeReader {
  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    /** Paths of nodes that may have other data than before. */
    private readonly stale: ReadonlySet<string>,
    private readonly onContent: (content: NodeContent) => void,
  ) {}

  /** The names below a directory; none where there is no such directory. */
  names(path: string): Promise<string[]> {
    return orIfGone(this.session.list(this.lease, path), []);
  }

  /** Undefined where there is no such directory. */
  async key(path: string, known?: KeyContent): Promise<KeyContent | undefined> {
    try {
      const names = await orIfGone(this.session.list(this.lease, path), undefined);
      if (!names) return undefined;
      if (areSemaphoreParts(names)) return await this.#semaphore(path, known);
      const before = known?.kind === 'lock' ? known.queue : NOTHING;
      return { kind: 'lock', queue: await this.#queue(path, names, before) };
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noAuth)) return { kind: 'hidden' };
      throw error;
    }
  }

  async #semaphore(path: string, known: KeyContent | undefined): Promise<KeyContent> {
    const before = known?.kind === 'semaphore' ? known : undefined;
    const paths = semaphorePathsOf(path);
    const [queued, leased, agreed] = await Promise.all([
      this.names(paths.queue),
      this.names(paths.leases),
      this.content(paths.leases),
    ]);
    const inOrder = leased.toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
    const [queue, leases] = await Promise.all([
      this.#queue(paths.queue, queued, before?.queue),
      this.#folder(paths.leases, inOrder, inOrder, before?.leases),
    ]);
    return { kind: 'semaphore', queue, leases, agreed: agreed?.data };
  }

  #queue(path: string, names: readonly string[], known?: Folder): Promise<Folder> {
    const inOrder = findQueue(names).nodes.map(({ name }) => name);
    return this.#folder(path, names, inOrder, known);
  }

  async #folder(
    path: string,
    names: readonly string[],
    inOrder: readonly string[],
    { contents: before } = NOTHING,
  ): Promise<Folder> {
    const contents = new Map<string, NodeContent>();
    const read = async (name: string): Promise<void> => {
      const nodePath = join(path, name);
      const known = this.stale.has(nodePath) ? undefined : before.get(name);
      const content = known ?? (await this.content(nodePath));
      if (content) contents.set(name, content);
    };
    await Promise.all(inOrder.slice(0, MOST_READ).map(read));
    // A contender that left meanwhile is not shown as a holder.
    const isThere = (name: string): boolean => contents.has(name);
    const first = new Set(inOrder.slice(0, MOST_READ));
    const present = names.filter((name) => isThere(name) || !first.has(name));
    return { names: present, queue: findQueue(present), contents };
  }

  /** Undefined where there is no such node. Of one that an ACL hides, there are no data. */
  async content(path: string): Promise<NodeContent | undefined> {
    const { session, lease } = this;
    try {
      const content = await orIfGone(session.get(lease, path), undefined);
      if (content) this.onContent(content);
      return content;
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
      const stat = await session.read(lease, 'exists', path, (client) => client.exists(path));
      return stat && { data: Buffer.alloc(0), stat };
    }
  }
}
