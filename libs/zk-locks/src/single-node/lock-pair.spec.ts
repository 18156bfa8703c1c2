import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import {
  OperationRefusedError,
  ReturnCode,
  ZooKeeperError,
} from '../../../zk-client/src/port/client-errors.js';
import type { Operation } from '../../../zk-client/src/port/zookeeper-client.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { Caller } from '../../../zk-client/src/session/session-requests.js';
import type { SessionLease } from '../../../zk-client/src/session/session-lease.js';
import type { Wait } from '../../../zk-client/src/session/wait.js';
import { type Creation, LockPair } from './lock-pair.js';

const LOCK = '/locks/k/lock';
const DATA = JSON.stringify({ host: 'a', pid: 1, since: 'now' });

/**
 * A server as far as these nodes are concerned, that loses answers, executes requests late, and is
 * sometimes too busy.
 */
class Model {
  readonly nodes = new Map<string, bigint>();
  /** What becomes of the next transaction; then they are executed again. */
  next: 'executed' | 'answer lost' | 'late' | 'throttled' = 'executed';
  /** Whether the data of all nodes are hidden from this client. */
  areHidden = false;
  readonly late: (() => void)[] = [];
  readonly onLate: (() => void)[] = [];
  /** Of the latest transaction. */
  zxid = 0n;

  /** @param options `attempts`: the wait ends after so many */
  pair({ attempts = Infinity } = {}): Promise<Creation> {
    let left = attempts;
    const throwIfOver = (): void => {
      if (--left <= 0) throw new Error('the wait is over');
    };
    const wait = { throwIfOver } as Wait;
    return LockPair.create(this.#context(), {} as SessionLease, '/locks/k', DATA, wait);
  }

  /** Two nodes that exist. */
  async created(): Promise<LockPair> {
    const pair = await this.pair();
    if (!(pair instanceof LockPair)) throw new Error('there is no pair');
    return pair;
  }

  /** Another program's node. */
  create(path = LOCK): void {
    this.#execute([{ type: 'create', path, data: Buffer.alloc(0), mode: 'ephemeral' }]);
  }

  get guards(): number {
    return [...this.nodes.keys()].filter((path) => path.startsWith('/locks/%guards/')).length;
  }

  #context(): QueueContext {
    const session = {
      transact: (_: unknown, operations: readonly Operation[], caller?: Caller) =>
        this.#transact(operations, caller),
      create: (_: unknown, path: string) => this.#answer(() => this.create(path)),
      delete: (_: unknown, path: string) => this.#answer(() => this.#execute([{ type: 'delete', path }])), // prettier-ignore
      exists: (_: unknown, path: string) =>
        this.#answer(() => {
          const czxid = this.nodes.get(path);
          return czxid === undefined ? undefined : { czxid };
        }),
      get: (_: unknown, path: string) =>
        this.#answer(() => {
          const czxid = this.nodes.get(path);
          if (czxid === undefined) throw new ZooKeeperError(ReturnCode.noNode, 'get', path);
          if (this.areHidden) throw new ZooKeeperError(ReturnCode.noAuth, 'get', path);
          return { data: Buffer.alloc(0), stat: { czxid } };
        }),
      sync: () => Promise.resolve(),
      whenReconnected: () => Promise.resolve(true),
      news: { now: 0 },
    };
    const remover = {
      remove: async (
        _: unknown,
        __: string,
        ___: string,
        { send }: { send: () => Promise<void> },
      ) => {
        // Twice, as where the answer was lost.
        for (const _attempt of [1, 2]) await send().catch(() => undefined);
      },
      expectLate: (_: unknown, __: string, ___: string, remove: () => void) =>
        void this.onLate.push(remove),
    };
    const directories = { check: vi.fn(), create: () => Promise.resolve() };
    return { session, remover, directories, root: '/locks' } as unknown as QueueContext;
  }

  async #transact(operations: readonly Operation[], caller?: Caller): Promise<void> {
    const { next } = this;
    this.next = 'executed';
    if (next === 'throttled') {
      // It is sent again after a pause.
      await new Promise<void>((resolve) => this.late.push(resolve));
      caller?.throwIfOver();
      return this.#transact(operations, caller);
    }
    if (next === 'late') this.late.push(() => this.#execute(operations));
    else if (next === 'executed') return this.#answer(() => this.#execute(operations));
    else this.#execute(operations);
    throw new ZooKeeperError(ReturnCode.connectionLoss, 'transact', LOCK);
  }

  async #answer<T>(execute: () => T): Promise<T> {
    return execute();
  }

  #execute(operations: readonly Operation[]): void {
    for (const [index, { type, path }] of operations.entries()) {
      const isThere = this.nodes.has(path);
      const { nodeExists, noNode } = ReturnCode;
      const code = type === 'create' ? (isThere ? nodeExists : 0) : isThere ? 0 : noNode;
      if (code !== 0) throw new OperationRefusedError(code, type, path, index);
    }
    this.zxid++;
    for (const { type, path } of operations) {
      if (type === 'create') this.nodes.set(path, this.zxid);
      else this.nodes.delete(path);
    }
  }
}

it('removes both nodes if they are created late', async () => {
  const model = new Model();
  model.next = 'late';
  await expect(model.pair({ attempts: 1 })).rejects.toThrow('the wait is over');
  for (const execute of model.late) execute();
  expect([model.nodes.has(LOCK), model.guards]).toEqual([true, 1]);
  for (const remove of model.onLate) remove();
  await expect.poll(() => model.nodes.size).toBe(0);
});

it("leaves another holder's node alone if its own was created late and deleted by an outsider", async () => {
  const model = new Model();
  model.next = 'late';
  await expect(model.pair({ attempts: 1 })).rejects.toThrow('the wait is over');
  for (const execute of model.late) execute();
  model.nodes.delete(LOCK);
  model.create();
  for (const remove of model.onLate) remove();
  await expect.poll(() => model.guards).toBe(0);
  expect([...model.nodes.keys()]).toEqual([LOCK]);
});

it('leaves the node of the next holder alone, however late its deletion is executed', async () => {
  const model = new Model();
  const pair = await model.created();
  model.next = 'late';
  await pair.discard({ areThere: true });
  expect(model.nodes.size).toBe(0);
  await model.created();
  for (const execute of model.late) expect(execute).toThrow(OperationRefusedError);
  expect([model.nodes.has(LOCK), model.guards]).toEqual([true, 1]);
});

it('creates nothing at a server that was too busy before its wait was over', async () => {
  const model = new Model();
  model.next = 'throttled';
  const creating = model.pair({ attempts: 1 });
  for (const goOn of model.late) goOn();
  await expect(creating).rejects.toThrow('the wait is over');
  expect([model.nodes.size, model.zxid]).toEqual([0, 0n]);
});

it('creates a pair once, at a server that has read its node before it was less busy', async () => {
  const model = new Model();
  model.next = 'throttled';
  const creating = model.pair();
  // All that is read has been answered by then.
  await nextTurn();
  for (const goOn of model.late) goOn();
  expect(await creating).toBeInstanceOf(LockPair);
  expect([model.nodes.has(LOCK), model.guards, model.zxid]).toEqual([true, 1, 1n]);
});

it('leaves nothing behind if it may not read the node of the holder before, and the server was too busy meanwhile', async () => {
  const model = new Model();
  model.create();
  model.next = 'throttled';
  model.areHidden = true;
  const refused = expect(model.pair()).rejects.toMatchObject({ code: 'ZK_NO_AUTH' });
  // All that is read has been answered by then.
  await nextTurn();
  model.nodes.delete(LOCK);
  for (const goOn of model.late) goOn();
  await refused;
  await expect.poll(() => [model.nodes.size, model.zxid]).toEqual([0, 3n]);
});
