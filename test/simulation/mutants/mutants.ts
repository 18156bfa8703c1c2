import { MISTAKES } from './mistakes.js';
import type { Mutant } from './mutant.js';
import { OF_THE_QUEUE } from './of-the-queue.js';

/** Mistakes of lock libraries. Only measurements kept some of them out of this one. */
export const MUTANTS: readonly Mutant[] = [
  ...OF_THE_QUEUE,
  {
    name: 'the node of a one-node lock is deleted without its guard',
    file: 'single-node/lock-pair.ts',
    from: "this.paths.map((path) => ({ type: 'delete', path })),",
    to: "[{ type: 'delete', path: this.lock }],",
    test: 'test/locks/single-node.e2e-spec.ts',
  },
  {
    name: 'lease deadline ignored',
    file: 'session/session-lease.ts',
    from: 'if (this.msLeft() > 0) return',
    to: 'if (this.msLeft() > -Infinity) return',
  },
  {
    name: 'breaks the lock of the named node, without a comparison of tokens',
    file: 'inspection/break.ts',
    from: 'if (found.isCreatedWith(token)) return;',
    to: 'if (token >= 0n) return;',
  },
  {
    name: 'breaks a node whose data have the token of another session',
    untold: 'needs a stranger that copies a token',
    file: 'inspection/break.ts',
    from: 'node.isCreatedWith(token) || node.claims(token)',
    to: 'node.isOfContender(found)',
    test: 'test/security/break-the-one-shown.e2e-spec.ts',
  },
  {
    name: 'a holder whose lock is broken gives it back without being told',
    file: 'grant/node-grant.ts',
    from: "this.lose('broken', by);",
    to: 'void by;',
    test: 'test/locks/break-time-to-stop.e2e-spec.ts',
  },
  {
    name: 'a broken lock of one node is deleted without its guard',
    file: 'inspection/found-node.ts',
    from: "[deleteGuard, { type: 'delete', path }]",
    to: "deleteGuard && [{ type: 'delete', path }]",
    test: 'test/locks/break-single-node.e2e-spec.ts',
  },
  {
    name: 'breaking a one-node lock writes to its current holder, even a later one',
    file: 'inspection/found-node.ts',
    from: "[check, { type: 'set', path, data, version }]",
    to: "check && [{ type: 'set', path, data, version }]",
    test: 'test/locks/break-single-node.e2e-spec.ts',
  },
  {
    name: 'held until the lease deadline, whatever the margin',
    file: 'session/session-lease.ts',
    from: 'return this.deadlines.byClock.deadline - this.marginMs;',
    to: 'return this.deadlines.byClock.deadline;',
    test: 'test/locks/margin.e2e-spec.ts',
  },
  {
    name: 'lease renewed by reads',
    file: 'session/session.ts',
    from: "'heartbeat', '/', (client) => client.proveSession()",
    to: "'heartbeat', '/', (client) => client.list('/')",
    test: 'test/faults/cut-off-servers.e2e-spec.ts',
  },
  {
    name: 'lease renewed by sync, which a leader without followers answers',
    file: 'session/session.ts',
    from: "'heartbeat', '/', (client) => client.proveSession()",
    to: "'heartbeat', '/', (client) => client.sync('/')",
    test: 'test/faults/cut-off-servers.e2e-spec.ts',
  },
  {
    name: 'lease renewed by the refusal of a heartbeat, which may be that of a cut-off server',
    untold: 'needs servers that check ACLs by themselves',
    file: 'port/by-refusal.ts',
    from: `    await remove(\`/zookeeper/\${randomUUID()}/none\`);
  } catch (error) {`,
    to: `    await remove('/zookeeper/nestjs-zk-lock/none');
  } catch (error) {
    if (randomUUID() && hasReturnCode(error, ReturnCode.noAuth)) return;`,
    test: 'test/faults/cut-off-servers.e2e-spec.ts',
  },
  {
    name: 'a circle is told that was not read again',
    untold: 'changes a message alone',
    file: 'inspection/deadlocks.ts',
    from: 'return still.includes(false) ? undefined : describeCircle(circle);',
    to: 'return describeCircle(circle);',
    test: 'test/locks/deadlocks.e2e-spec.ts',
  },
  {
    name: 'token from the sequence number',
    file: 'grant/node-grant.ts',
    from: 'this.#fencingToken ??= fencingToken(czxid, node.rank);',
    to: 'this.#fencingToken ??= BigInt(node.path.slice(-10));',
  },
  {
    name: 'two nodes of one transaction have one token',
    file: 'grant/node-grant.ts',
    from: 'fencingToken(czxid, node.rank)',
    to: 'fencingToken(czxid)',
  },
  {
    name: 'watches not set again after a reconnect',
    file: 'session/session.ts',
    from: 'if (!isNew) this.watches.fireGap();',
    to: '',
  },
  {
    name: 'one permit too many',
    file: 'semaphore/permit-claim.ts',
    from: 'leases.length <= permits',
    to: 'leases.length <= permits + 1',
  },
  {
    name: 'a number of permits is not held against that of the directory',
    untold: 'needs calls that disagree about the permits',
    file: 'semaphore/permit-agreement.ts',
    from: 'agreed !== this.#permits) throw this.#differsFrom(agreed);',
    to: 'agreed !== this.#permits) return;',
    test: 'test/locks/semaphore-agreed.e2e-spec.ts',
  },
  {
    name: 'permits of two numbers are held together once the directory was removed',
    untold: 'needs calls that disagree about the permits',
    file: 'semaphore/permit-agreement.ts',
    from: 'if (sequenceOf(name) < first) throw',
    to: 'if (sequenceOf(name) < -first) throw',
    test: 'test/locks/semaphore-agreed.e2e-spec.ts',
  },
  {
    name: 'all grants of a cohort have one token',
    file: 'cohort/cohort-turn.ts',
    from: 'BigInt(this.#grants++)',
    to: 'BigInt(0 * this.#grants++)',
  },
  {
    name: 'a cohort goes on for as long as one of its calls wants the lock',
    file: 'cohort/cohort-turn.ts',
    from: 'return this.#grants <= maxHandovers && !this.#isTimeUp();',
    to: 'return !this.#isTimeUp();',
  },
  {
    name: 'the loss of a node does not reach all who hold the lock by it',
    file: 'cohort/cohort-turn.ts',
    from: 'for (const member of [...this.#members]) this.#loseMember(member);',
    to: 'for (const member of [...this.#members].slice(1)) this.#loseMember(member);',
  },
  {
    name: 'of the calls of a process, the last one is served first',
    file: 'listeners.ts',
    from: `    one.previous = this.#last;
    if (this.#last) this.#last.next = one;
    else this.#head = one;
    this.#last = one;`,
    to: `    one.next = this.#head;
    if (this.#head) this.#head.previous = one;
    else this.#last = one;
    this.#head = one;`,
  },
  {
    name: 'equal tokens under a kept node',
    file: 'cohort/cohort-turn.ts',
    from: '    this.#isKept = false;\n    this.kept?.take(this);',
    to: '    this.#isKept = false;\n    this.#grants = 1;\n    this.kept?.take(this);',
  },
  {
    name: 'the child watch is armed after the node counts as kept',
    file: 'cohort/other-contenders.ts',
    from: 'const connection = this.connection();',
    to: 'const connection = this.connection(); this.#wereAbsent = true;',
    test: 'libs/zk-locks/src/cohort/kept-turns.spec.ts',
  },
  {
    name: 'others that came in a gap of the connection are not looked for',
    file: 'cohort/other-contenders.ts',
    from: "if (event === 'gap') this.#list();",
    to: "if (event === 'gap') this.#seenOn = this.connection();",
    test: 'libs/zk-locks/src/cohort/kept-turns.spec.ts',
  },
  {
    name: 'a session with kept locks is proved alive by sync',
    file: 'facade/compose.ts',
    from: 'activeLocks.isInUse || cohorts?.isKeeping === true',
    to: 'activeLocks.isInUse',
    test: 'test/locks/kept-locks.e2e-spec.ts',
  },
  {
    name: 'a guarded write does not check the node of its lock',
    file: 'grant/transact.ts',
    from: 'await context.session.transact(lease, [...checking, ...operations], { throwIfOver })',
    to: "[...checking.map(() => ''), ...(await context.session.transact(lease, operations))]",
    test: 'test/locks/transact.e2e-spec.ts',
  },
  {
    name: 'a node with an unanswered transaction counts as gone when its deletion is sent',
    file: 'grant/node-grant.ts',
    from: "this.openTransactions === 0 ? 'granted' : 'unused'",
    to: "'granted'",
    test: 'test/locks/transact.e2e-spec.ts',
  },
  {
    name: 'a node with an unanswered transaction serves the next call of its cohort',
    file: 'cohort/cohort-turn.ts',
    from: 'return this.grant.nodes.openTransactions > 0;',
    to: 'return false;',
    test: 'test/locks/transact.e2e-spec.ts',
  },
  {
    name: 'the clocks of two leaders are compared',
    file: 'runs/run-record.ts',
    from: 'now.epoch === last.epoch && byServer >= 0',
    to: 'byServer >= 0',
    test: 'libs/zk-locks/src/runs/run-record.spec.ts',
  },
  {
    name: 'the time that a run has waited for its lock counts',
    file: 'runs/runs.ts',
    from: 'Math.max(askedAt - seen.at, 0)',
    to: 'performance.now() - seen.at',
  },
  {
    name: 'the timeout of the creation ignored',
    file: 'session/lease-deadline.ts',
    from: 'this.#timeoutMs = this.#smallestMs;',
    to: 'this.#timeoutMs = timeoutMs;',
    test: 'test/faults/long/creation-timeout.e2e-spec.ts',
  },
  {
    name: 'the time of a report capped by the session timeout',
    file: 'session/lease-deadline.ts',
    from: 'return tickTimeMs / 2;',
    to: 'return Math.min(tickTimeMs / 2, 800);',
    test: 'libs/zk-client/src/session/lease-deadline.spec.ts',
  },
  {
    name: 'the result of finished work given before it is certain whether the lock was lost',
    file: 'grant/async-scope.ts',
    from: 'await lock.whenCertain();',
    to: '',
    test: 'test/session/wall-clock.e2e-spec.ts',
  },
  {
    name: 'what users send is not limited, and delays the proofs of the session',
    untold: 'needs servers or networks that many requests slow down',
    file: 'znodes/traffic.ts',
    from: 'return this.#requests < MOST_REQUESTS && this.#bytes + bytes <= MOST_BYTES;',
    to: 'return true;',
    test: 'libs/zk-client/src/znodes/traffic.spec.ts',
  },
  {
    name: "a user's watch ends where locks watch the same node",
    file: 'session/session-requests.ts',
    from: 'client.get(path, { watch: watch && !this.watches.isNodeCovered(path) }),',
    to: 'client.get(path, { watch }),',
    test: 'test/faults/users-watches.e2e-spec.ts',
  },
  {
    name: "a user's watch ends those of the locks",
    file: 'session/session-requests.ts',
    from: "    this.watches.fire(path, 'gap');\n  }",
    to: '  }',
    test: 'test/faults/users-watches.e2e-spec.ts',
  },
  {
    name: 'after a lost answer, an ephemeral znode of any session counts as created',
    file: 'znodes/zk-client.ts',
    from: "if (found === 'us' && isOnlyOurs())",
    to: 'if (found && isOnlyOurs())',
    test: 'test/locks/zk-client.e2e-spec.ts',
  },
  {
    name: 'an ephemeral znode counts as created by each call that creates it at the same time',
    file: 'znodes/zk-client.ts',
    from: "if (found === 'us' && isOnlyOurs()) return path;",
    to: "if (found === 'us') return path;",
    test: 'test/faults/users-writes.e2e-spec.ts',
  },
  // Defects that this library had, and that were found by review.
  {
    name: 'a kept lock is granted by old news',
    file: 'session/fresh-news.ts',
    from: 'return now - this.#readAt <= READ_WITHIN_MS && now - this.#heardAt <= RECENT_MS;',
    to: 'return now > -Infinity;',
    test: 'test/faults/stale-news.e2e-spec.ts',
  },
  {
    name: 'an answer counts as recent however long ago its request was sent',
    file: 'session/fresh-news.ts',
    from: 'return this.clock.now() - instant <= RECENT_MS;',
    to: 'return this.clock.now() - instant <= Infinity;',
    test: 'test/faults/late-answers.e2e-spec.ts',
  },
  {
    name: 'a lock is granted from memory before the connection has been read',
    file: 'session/fresh-news.ts',
    from: 'await turn();\n    const since = this.clock.now();\n    await turn();',
    to: 'const since = this.clock.now();',
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
    from: 'await (version === undefined ? call.askOnce(send) : call.askUntilDone(send));',
    to: `await (version === undefined ? call.askOnce(send) : call.askUntilDone(send)).catch(async (error: unknown) => {
        if (!call.unknownOutcome) throw error;
        const { data: now, stat } = await call.askUntilAnswered((lease) => session.get(lease, whole));
        if (stat.version !== (version ?? 0) + 1 || !now.equals(content)) throw error;
        return stat;
      });`,
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
  },
  ...MISTAKES,
];
