import type { Mutant } from './mutant.js';

/** Defects that this library had, and that were found by reading it. */
export const FOUND_BY_READING: readonly Mutant[] = [
  {
    name: 'a kept lock is granted by old news',
    file: 'session/fresh-news.ts',
    from: 'return now - this.#readAt <= READ_WITHIN_MS && now - this.#heardAt <= RECENT_MS;',
    to: 'return now > -Infinity;',
    test: 'test/faults/stale-news.e2e-spec.ts',
  },
  {
    name: "a user's recursive watch counts as one of the children, of whom it tells nothing",
    file: 'session/node-watches.ts',
    from: 'return this.#lasting.get(path)?.recursive === false;',
    to: 'return this.#lasting.has(path);',
    test: 'test/faults/users-watches.e2e-spec.ts',
  },
  {
    name: "after a lost answer, a znode with the same data counts as written, though it is another's write",
    file: 'znodes/zk-client.ts',
    from: 'return toStat(await (version === undefined ? call.askOnce(send) : call.askUntilDone(send)));',
    to: `const orFound = async (error: unknown): Promise<NodeStat> => {
        if (!call.unknownOutcome) throw error;
        const { data: now, stat } = await call.askUntilAnswered((lease) => session.get(lease, whole));
        if (stat.version !== (version ?? 0) + 1 || !now.equals(content)) throw error;
        return stat;
      };
      return toStat(await (version === undefined ? call.askOnce(send) : call.askUntilDone(send).catch(orFound)));`,
    test: 'test/faults/users-writes.e2e-spec.ts',
  },
  {
    name: 'breaking a lock that was released meanwhile hits the next contender',
    file: 'inspection/break.ts',
    from: `    if (!found) return [];
    if (!this.#found) await this.#identify(lease, found, queue);
    this.#found = found;
    return nodes.filter((node) => node.isOfContender(found));`,
    to: `    if (!found) {
      if (this.#found) return [];
      const [next] = await this.#read(lease, queue.slice(0, 1));
      return next ? [(this.#found = next)] : [];
    }
    if (!this.#found) await this.#identify(lease, found, queue);
    this.#found = found;
    return nodes.filter((node) => node.isOfContender(found));`,
    test: 'test/locks/break-lock.e2e-spec.ts',
  },
];
