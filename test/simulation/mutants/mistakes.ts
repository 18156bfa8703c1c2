import type { Work } from '../testing/calm-plan.js';
import type { Mutant } from './mutant.js';

/** A mistake that is found without any fault: it breaks a promise when processes do `work`. */
interface Mistake extends Mutant {
  readonly promise: string;
  readonly work: Work;
}

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'a listener is never removed',
    file: 'observation/observe-session.ts',
    from: '}, stopAnswering);',
    to: '}, () => void stopAnswering);',
    promise: 'nothing left',
    work: { tasks: { write: 1 } },
  },
  {
    name: 'a waiter watches all nodes that it knows',
    file: 'queue/key-queue.ts',
    from: 'if (this.#watchOn(blocker).isSet && earlier !== undefined) this.#watchOn(earlier);',
    to: 'for (const { name } of this.#order) if (!this.#contenders.has(name)) this.#watchOn(name);',
    promise: 'no herd',
    work: { tasks: { write: 3 } },
  },
  {
    name: 'a waiter watches the directory of its queue',
    file: 'queue/latest-list.ts',
    from: 'session.list(lease, directory)',
    to: 'session.list(lease, directory, { watch: true })',
    promise: 'no herd',
    work: { tasks: { write: 1 } },
  },
  {
    name: 'a job runs again before its time has passed',
    file: 'runs/run-record.ts',
    from: 'export const TOLERANCE = 0.1;',
    to: 'export const TOLERANCE = 0.9;',
    promise: 'runs',
    work: { tasks: { run: 2 } },
  },
  {
    name: 'a user is told of no change after the first',
    file: 'znodes/zk-client.ts',
    from: 'onEvent: ({ type, path: where }) => onEvent(',
    to: "onEvent: ({ type, path: where }) => type !== 'changed' && onEvent(",
    promise: 'watches',
    work: { tasks: {}, users: { counter: 1, watch: 2 } },
  },
  {
    name: 'a watch that was stopped stays on the server',
    file: 'znodes/lasting-watches.ts',
    from: 'if (isChange) await ',
    to: 'if (false) await ',
    promise: 'nothing left',
    work: { tasks: { write: 1 }, users: { watch: 2 } },
  },
  {
    name: 'a write with another version counts as done',
    file: 'znodes/zk-client.ts',
    from: 'client.set(whole, content, { version })',
    to: 'client.set(whole, content, {})',
    promise: 'users',
    work: { tasks: {}, users: { counter: 2 } },
  },
];
