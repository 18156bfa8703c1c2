import { expect, it } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';
import { Wait, type WaitLimits } from '../session/wait.js';
import { type Creator, createNode } from './create.js';

const lease = {} as SessionLease;
const connectionLoss = (): Error =>
  new ZooKeeperError(ReturnCode.connectionLoss, 'create', '/k/a-');

/** Loses the answer to the first creation; that was executed or not. */
function open(isExecuted: boolean, rank?: number, refusal?: Error) {
  const told: string[] = [];
  const nodes: string[] = [];
  let isLost = false;
  const create: Creator['session']['create'] = (_lease, path, _data, _mode, options) => {
    told.push('create');
    options?.onSent?.();
    const node = `${path}000000000${String(nodes.length)}`;
    if (isLost || isExecuted) nodes.push(node.slice('/k/'.length));
    if (isLost) return Promise.resolve({ path: node, czxid: 7n });
    isLost = true;
    return Promise.reject(connectionLoss());
  };
  const tell = <T>(what: string, value: T): Promise<T> => {
    told.push(what);
    return Promise.resolve(value);
  };
  const creator: Creator = {
    session: {
      create,
      lockAcl: [],
      sync: () => tell('sync', undefined),
      whenReconnected: () => tell('reconnected', true),
    },
    remover: {
      expectLate: (_lease, directory, name) => void told.push(`late ${directory}/${name}`),
    },
    directories: {
      find: (_lease, _directory, beginning) =>
        refusal
          ? Promise.reject(refusal)
          : tell(
              'list',
              nodes.find((name) => name.startsWith(beginning)),
            ),
    },
  };
  let names = 0;
  const created = createNode(creator, lease, {
    ...{ directory: '/k', mode: 'ephemeral-sequential', data: '', rank },
    newName: () => `${'ab'[names++]!}-`,
    onSent: () => void told.push('sent'),
  });
  return { created, told };
}

it.each([
  ['alone', undefined],
  ['the first of a transaction', 0],
  ['the second of a transaction', 1],
])(
  'says that a node, %s, is there when it is found, since lists of before may lack it',
  async (_, rank) => {
    const { created, told } = open(true, rank);
    expect(await created).toEqual({ path: '/k/a-0000000000', czxid: undefined });
    expect(told).toEqual(['create', 'sent', 'reconnected', 'sync', 'list', 'sent']);
  },
);

it('gives up a creation that is not found, which may come late, and creates under another name', async () => {
  const { created, told } = open(false);
  expect(await created).toEqual({ path: '/k/b-0000000000', czxid: 7n });
  const lost = ['create', 'sent', 'reconnected', 'sync', 'list', 'late /k/a-'];
  expect(told).toEqual([...lost, 'create', 'sent']);
});

it('gives up a creation that it may not look for', async () => {
  const refusal = new ZooKeeperError(ReturnCode.noAuth, 'list', '/k');
  const { created, told } = open(true, undefined, refusal);
  await expect(created).rejects.toBe(refusal);
  expect(told).toEqual(['create', 'sent', 'reconnected', 'sync', 'late /k/a-']);
});

it('creates no more nodes at once than the session has room for, counting their sequence numbers', async () => {
  const lease = {} as SessionLease;
  let sent = 0;
  const session = {
    create: (_: SessionLease, path: string) => {
      sent++;
      return Promise.resolve({ path: `${path}0000000000`, czxid: 7n });
    },
  } as unknown as Creator['session'];
  const creator = { session } as unknown as Creator;
  const create = (index: number): Promise<unknown> =>
    createNode(creator, lease, {
      ...{ directory: '/', mode: 'ephemeral-sequential', data: '' },
      // Of 1,000 bytes in the transaction that ends the session.
      newName: () => String(index).padStart(985, '0'),
    });
  const created = await Promise.allSettled(
    Array.from({ length: 1_100 }, (_, index) => create(index)),
  );
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000);
  expect(sent).toBe(1_000);
});

it('asks its wait before each further attempt at a busy server', async () => {
  const waits = [new Wait({} as WaitLimits), undefined];
  const callers: unknown[] = [];
  for (const wait of waits) {
    const create: Creator['session']['create'] = (_lease, path, _data, _mode, options) => {
      callers.push(options?.caller);
      return Promise.resolve({ path, czxid: 7n });
    };
    const session = { create, lockAcl: [] } as unknown as Creator['session'];
    const node = { directory: '/k', mode: 'ephemeral', newName: () => 'a', data: '' } as const;
    await createNode({ session } as Creator, lease, node, wait);
  }
  expect(callers).toEqual(waits);
});
