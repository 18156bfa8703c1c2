import type { Mutant } from './mutant.js';

/** Mistakes in the order of the queue. */
export const OF_THE_QUEUE: readonly Mutant[] = [
  {
    name: 'no GUID: a create whose answer was lost counts as not executed',
    file: 'certain/create.ts',
    from: 'await untilReconnected(session, lease);',
    to: 'await untilReconnected(session, lease); continue;',
  },
  {
    name: 'a node that was found after its answer was lost counts as listed',
    file: 'certain/create.ts',
    from: '        onSent?.();\n',
    to: '',
    test: 'libs/zk-client/src/certain/create.spec.ts',
  },
  {
    name: 'what is not to be seen after a reconnect counts as never to come',
    untold:
      'needs a leader that hears of a moved session before it looks at older requests: ours looks at each as it comes',
    file: 'certain/create.ts',
    from: 'if (found !== undefined) return found;\n        giveUp();\n',
    to: 'if (found !== undefined) return found;\n',
    test: 'test/faults/lost-answers.e2e-spec.ts',
  },
  {
    name: 'no check of the own node',
    file: 'queue/own-node.ts',
    from: "if (event === 'deleted') this.lose();",
    to: "if (event === 'deleted') return;",
    test: 'test/locks/holding.e2e-spec.ts',
  },
  {
    name: 'release not retried',
    file: 'certain/node-remover.ts',
    from: "while (outcome !== 'gone') {",
    to: "while (outcome === 'refused') {",
  },
  {
    name: 'writer waits for writers only',
    file: 'queue/places.ts',
    from: 'const blocker = isWriter ? index - 1 : writer;',
    to: 'const blocker = writer;',
  },
  {
    name: 'a waiter that gives up counts as gone before its node is',
    file: 'queue/key-queue.ts',
    from: "    if (removal !== 'granted') return;\n",
    to: '',
    test: 'test/key-queue/key-queue.spec.ts',
  },
  {
    name: 'a node that may not be deleted counts as gone',
    untold: 'is about ACLs: no story has a user with a password',
    file: 'certain/node-remover.ts',
    from: 'this.listeners.find(lease, path)?.onRemovalRefused(nameOf(path));',
    to: '',
    test: 'test/locks/succession.e2e-spec.ts',
  },
  {
    name: 'a wait that has ended leaves its node',
    file: 'queue/contender.ts',
    from: 'void call.context.remover.remove(this.own.lease, this.own.path);',
    to: '',
  },
  {
    name: 'a node of another process counts as gone without a list',
    file: 'queue/blocker-watch.ts',
    from: 'this.queue.onBlockerGone(this.name, this.#mayPassOn === false);',
    to: "(this.queue as any).onRemoving(this.name, 'granted');",
  },
  {
    name: 'a node that is not the first of the queue counts as gone without a list',
    file: 'queue/key-queue.ts',
    from: 'first?.name === name && isPlaceFree',
    to: 'first && isPlaceFree',
  },
  {
    name: 'a writer that downgrades its lock does not write to its node first',
    file: 'grant/node-grant.ts',
    from: 'context.session.set(lease, this.#path, Buffer.from(data), 0),',
    to: 'Promise.resolve(void data),',
  },
  {
    name: 'the place of a node that was written to counts as free when it is deleted',
    file: 'queue/blocker-watch.ts',
    from: 'this.#mayPassOn ??= stat.version > 0 ||',
    to: 'this.#mayPassOn ??=',
    test: 'test/key-queue/key-queue.spec.ts',
  },
  {
    name: 'the place of a node of another library counts as free when it is deleted',
    file: 'queue/blocker-watch.ts',
    from: 'stat.version > 0 || parseHolderData(data) === undefined',
    to: 'stat.version > 0 || (parseHolderData(data), false)',
    test: 'test/key-queue/key-queue.spec.ts',
  },
  {
    name: 'a list that was sent before a creation is believed',
    file: 'queue/key-queue.ts',
    from: 'this.#list.want(since);',
    to: `if (this.#order.length > 0) {
      const { name } = own;
      const mode = name.includes('__READ__') ? 'read' : 'write';
      this.#order.push({ name, mode, sequence: Number(name.slice(-10)) });
      this.#decide(placesOf(this.#contenders, this.#order));
    } else this.#list.want(since);`,
  },
  {
    name: 'a waiter that has given up counts as gone without a list',
    file: 'queue/key-queue.ts',
    from: "if (removal !== 'granted') this.#listForWaiters();",
    to: "if (removal !== 'granted') this.#goOnWithout(name);",
    test: 'test/key-queue/key-queue.spec.ts',
  },
  {
    name: 'calls behind a lock that is lost wait for its release, though its node is deleted',
    file: 'grant/node-grant.ts',
    from: 'const isOver = this.isReleased || this.lease.lossReason !== undefined;',
    to: 'const isOver = true;',
    test: 'test/key-queue/places.spec.ts',
  },
  {
    name: 'only the first node of a transaction without an answer is looked for',
    file: 'certain/create.ts',
    from: 'const found = await directories.find(lease, directory, name);',
    to: 'const found = rank ? undefined : await directories.find(lease, directory, name);',
    test: 'libs/zk-client/src/certain/create.spec.ts',
  },
  {
    name: 'equal sequence numbers ordered by UUID',
    untold: 'needs two billion nodes in one directory',
    file: 'nodes/dialect.ts',
    from: 'return sequence >= 0 && sequence <= LAST_SEQUENCE;',
    to: 'return true;',
    test: 'libs/zk-locks/src/nodes/dialect.spec.ts',
  },
];
