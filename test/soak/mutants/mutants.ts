import type { Mutant } from './mutant.js';

/** Mistakes that lock libraries make, or that this one would have made without a measurement. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no GUID: a create whose answer was lost counts as not executed',
    file: 'locks/queue/lock-node.ts',
    from: 'const path = await findByPrefix(session, lists, lease, directory, name);',
    to: 'continue;',
    faults: ['answers lost'],
  },
  {
    name: 'what is not to be seen after a reconnect counts as never to come',
    file: 'locks/queue/lock-node.ts',
    from: 'reaper.expectLate(lease, directory, name);',
    to: '',
    faults: ['follower cut'],
  },
  {
    name: 'no check of the own node',
    file: 'locks/queue/own-node.ts',
    from: "if (event === 'deleted') this.#lose('node-deleted');",
    to: "if (event === 'deleted') return;",
    faults: ['operator deletes lock nodes'],
  },
  {
    name: 'lease deadline ignored',
    file: 'session/session-lease.ts',
    from: 'if (msLeft > 0) return',
    to: 'if (msLeft > -Infinity) return',
    faults: ['frozen for longer', 'stopped for longer'],
  },
  {
    name: 'lease renewed by reads',
    file: 'session/session.ts',
    from: "'heartbeat', '/', ALWAYS, (client) => client.proveSession()",
    to: "'heartbeat', '/', ALWAYS, (client) => client.list('/')",
    faults: ['follower cut from its leader, and from all but a holder'],
  },
  {
    name: 'lease renewed by sync, which a leader without followers answers',
    file: 'session/session.ts',
    from: "'heartbeat', '/', ALWAYS, (client) => client.proveSession()",
    to: "'heartbeat', '/', ALWAYS, (client) => client.sync('/')",
    faults: ['leader cut from its followers, and from all but a holder'],
  },
  {
    name: 'release not retried',
    file: 'locks/queue/node-reaper.ts',
    from: 'for (let outcome = first; !isGone(outcome);',
    to: "for (let outcome: Outcome = first; outcome === 'refused';",
    faults: ['requests lost', 'answers lost'],
  },
  {
    name: 'watch set by exists, which stays where there is no node',
    file: 'client/native/native-client.ts',
    from: '  get(path: string, { watch = false } = {}): Promise<NodeContent> {',
    to: `  get(path: string, { watch = false } = {}): Promise<NodeContent> {
    if (watch) (this as any).#native.a_exists(path, true, () => undefined);`,
    faults: ['none'],
  },
  {
    name: 'reader watches the first writer',
    file: 'locks/read-write/recipe.ts',
    from: "ahead.findLast((node) => node.mode === 'write')",
    to: "ahead.find((node) => node.mode === 'write')",
    faults: ['readers queue behind many writers'],
  },
  {
    name: 'writer waits for writers only',
    file: 'locks/read-write/recipe.ts',
    from: 'write: firstComeFirstServed',
    to: "write: (ahead) => ahead.findLast((node) => node.mode === 'write')",
    faults: ['none'],
  },
  {
    name: 'token from the sequence number',
    file: 'locks/holding/holding.ts',
    from: 'this.#fencingToken ??= fencingToken(czxid);',
    to: 'this.#fencingToken ??= BigInt(node.path.slice(-10));',
    faults: ['operator deletes a whole queue'],
  },
  {
    name: 'a wait that has ended leaves its node',
    file: 'locks/queue/contender.ts',
    from: 'void this.queue.reaper.remove(own.lease, own.path);',
    to: '',
    faults: ['none'],
  },
  {
    name: 'a turn that passes on without a look at the reader which a writer may have left',
    file: 'locks/queue/seen-queues.ts',
    from: '!isForGood) this.#mayHideReader = true',
    to: '!isForGood) this.#mayHideReader = false',
    faults: ['none'],
  },
  {
    name: 'whoever came between two nodes of a process does not count',
    file: 'locks/queue/succession.ts',
    from: 'if (latest?.sequence !== sequence - 1) return false;',
    to: 'if (!latest) return false;',
    faults: ['none'],
  },
  {
    name: 'a writer that becomes a reader counts as gone for good',
    file: 'locks/holding/holding.ts',
    from: '{ hasTwin: true }',
    to: '{ hasTwin: false }',
    faults: ['none'],
  },
  {
    name: 'watches not set again after a reconnect',
    file: 'session/session.ts',
    from: 'if (!isNew) this.#watches.fireGap();',
    to: '',
    faults: ['connection reset'],
  },
  {
    name: 'one permit too many',
    file: 'locks/semaphore/verdict.ts',
    from: 'leases.length <= permits',
    to: 'leases.length <= permits + 1',
    faults: ['none'],
  },
  {
    name: 'all grants of a cohort have one token',
    file: 'locks/cohort/tenure.ts',
    from: 'BigInt(this.#grants++)',
    to: 'BigInt(0 * this.#grants++)',
    faults: ['none'],
    configuration: { cohorts: true },
  },
  {
    name: 'a cohort goes on for as long as somebody of it wants the lock',
    file: 'locks/cohort/tenure.ts',
    from: 'this.#grants > maxHandovers || this.#grants >= MAX_GRANTS',
    to: 'this.#grants >= MAX_GRANTS',
    faults: ['none'],
    configuration: { cohorts: true },
  },
  {
    name: 'the loss of a node does not reach all who hold the lock by it',
    file: 'locks/cohort/tenure.ts',
    from: 'for (const member of [...this.#members]) member.lose(reason);',
    to: 'for (const member of [...this.#members].slice(1)) member.lose(reason);',
    faults: ['operator deletes lock nodes'],
    configuration: { cohorts: true },
  },
  {
    name: 'of the calls of a process, the last one is served first',
    file: 'locks/cohort/line.ts',
    from: `    one.previous = this.#last;
    if (this.#last) this.#last.next = one;
    else this.#head = one;
    this.#last = one;`,
    to: `    one.next = this.#head;
    if (this.#head) this.#head.previous = one;
    else this.#last = one;
    this.#head = one;`,
    faults: ['none'],
    configuration: { cohorts: true },
  },
  {
    name: 'the timeout of the creation ignored',
    file: 'session/lease-record.ts',
    from: 'this.#timeoutMs = this.#smallestMs;',
    to: 'this.#timeoutMs = timeoutMs;',
    faults: ['servers restarted, one by one', 'leader killed'],
  },
  {
    name: 'the time of a report capped by the session timeout',
    file: 'session/lease-record.ts',
    from: 'this.#raise(sentAt - reportMs(this.tickTimeMs))',
    to: 'this.#raise(sentAt - Math.min(reportMs(this.tickTimeMs), this.#timeoutMs / 4))',
    faults: ['frozen for longer'],
  },
  {
    name: 'certainty not awaited before finished work is rejected',
    file: 'locks/holding/guarded.ts',
    from: 'await lock.whenCertain();',
    to: '',
    faults: ['process stopped for less than its session'],
  },
];
