import { expect, it } from 'vitest';
import {
  type Operation,
  OperationRefusedError,
  ReturnCode,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';
import { LockReleasedError } from '../lock/lock-errors.js';
import type { Caller } from '../../../zk-client/src/session/session-requests.js';
import { executeUnder, type GrantedNodes, type GuardingLock } from './transact.js';

const WRITER = '/locks/k/writer';
const READER = '/locks/k/reader';
const WRITE: Operation = { type: 'set', path: '/data', data: Buffer.alloc(0) };

/**
 * A lock with a writer's node, and a busy server: it postpones the first transaction, which the client sends
 * again after `meanwhile`.
 */
function openLock(meanwhile: (open: { nodes: string[]; release: () => void }) => void) {
  const sent: string[][] = [];
  const losses: string[] = [];
  const nodes = [WRITER];
  let isReleased = false;
  const session = {
    whenReconnected: () => Promise.resolve(true),
    transact: async (_: SessionLease, operations: readonly Operation[], caller: Caller) => {
      sent.push(operations.map(({ type, path }) => `${type} ${path}`));
      if (sent.length === 1) meanwhile({ nodes, release: () => (isReleased = true) });
      caller.throwIfOver();
      const index = operations.findIndex(
        ({ type, path }) => type === 'check' && !nodes.includes(path),
      );
      await Promise.resolve();
      const { path = '' } = operations[index] ?? {};
      if (index >= 0) throw new OperationRefusedError(ReturnCode.noNode, 'check', path, index);
      return operations.map((operation) => operation.path);
    },
  };
  const grant: GrantedNodes = {
    context: { session: session as unknown as Session, userPaths: undefined as never },
    lease: {} as SessionLease,
    get nodePaths() {
      return [...nodes];
    },
    openTransactions: 0,
    whenCertain: () => Promise.resolve(),
    lose: (reason) => losses.push(reason),
  };
  const throwIfOver = (): void => {
    if (isReleased) throw new LockReleasedError('k', 'write');
  };
  const lock: GuardingLock = {
    ...{ key: 'k', mode: 'write', grant: { nodes: grant }, throwIfOver },
    throwIfLost: () => undefined,
  };
  return { lock, sent, losses, grant };
}

const downgrade = (nodes: string[]): void => void nodes.splice(0, 1, READER);

it('checks the new node if a downgrade replaced the node while a busy server postponed the transaction', async () => {
  const { lock, sent, losses, grant } = openLock(({ nodes }) => downgrade(nodes));
  await expect(executeUnder([lock], [WRITE])).resolves.toEqual(['/data']);
  expect(sent).toEqual([
    [`check ${WRITER}`, 'set /data'],
    [`check ${READER}`, 'set /data'],
  ]);
  expect(losses).toEqual([]);
  expect(grant.openTransactions).toBe(0);
});

it('writes nothing for a call that has already released its share', async () => {
  const { lock, sent, losses } = openLock(({ nodes, release }) => {
    downgrade(nodes);
    release();
  });
  await expect(executeUnder([lock], [WRITE])).rejects.toThrow(LockReleasedError);
  expect(sent).toHaveLength(1);
  expect(losses).toEqual([]);
});

it('is not sent again if the lock has ended meanwhile, even if its node is still there', async () => {
  const { lock, grant } = openLock(({ release }) => release());
  await expect(executeUnder([lock], [WRITE])).rejects.toThrow(LockReleasedError);
  expect(grant.openTransactions).toBe(0);
});
