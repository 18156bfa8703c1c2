import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  createNode,
  type NodeStat,
  ReturnCode,
  type Session,
  type SessionLease,
  silentLogger,
  Wait,
  ZooKeeperError,
} from 'zk-client/recipes';
import { LateNodes } from '../../libs/zk-client/src/certain/late-nodes.js';
import { Directories } from '../../libs/zk-locks/src/queue/directories.js';
import { Inspector } from '../../libs/zk-locks/src/inspection/inspector.js';
import { dialectOf } from '../../libs/zk-locks/src/nodes/dialect.js';
import type { QueueContext } from '../../libs/zk-locks/src/queue/lock-node.js';
import { PermitAgreement } from '../../libs/zk-locks/src/semaphore/permit-agreement.js';
import { PermitClaim } from '../../libs/zk-locks/src/semaphore/permit-claim.js';
import { inspectSemaphore } from '../../libs/zk-locks/src/semaphore/semaphore-inspection.js';
import { contenderPath, withHeldSince } from '../../libs/zk-locks/src/tree/tree-change.js';
import {
  describeNode,
  type TreeContender,
  type TreeKey,
} from '../../libs/zk-locks/src/tree/tree-key.js';
import { History } from '../../libs/zk-locks/src/inspect/history.js';
import { longestTurnOf, onThisMachine } from '../support/loop-meter.js';
import { treeKey } from '../support/tree-keys.js';

const MANY = 100_000;

const numbers = Array.from({ length: MANY }, (_, index) => (index * 7_919) % MANY);
const inDigits = (number: number): string => String(number).padStart(10, '0');

it('100,000 keys do not block the event loop of a program that lists them', async () => {
  const keys = numbers.map((number) => `order:${number}`);
  const context = {
    ...{
      root: '/locks',
      connectTimeoutMs: 60_000,
      activeLocks: { closing: new AbortController().signal },
    },
    session: { whenConnected: async () => Promise.resolve({}) },
    directories: {
      list: async () => Promise.resolve([...keys, '%guards', 'k%upgradable', 'a%2Fb']),
    },
  } as unknown as QueueContext;
  const inspector = new Inspector(context);
  let listed: string[] = [];
  const list = async (): Promise<void> => void (listed = await inspector.list());
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(list, mostMs)).toBeLessThan(mostMs);
  expect(listed).toEqual(['a/b', ...keys.toSorted()]);
});

it('100,000 leases do not block the event loop of a program that looks up the holders of permits', async () => {
  const leases = numbers.map((number) => `_c_${randomUUID()}-lease-${inDigits(number)}`);
  const context = {
    session: { exists: async () => Promise.resolve(undefined) },
    directories: {
      list: async () => Promise.resolve(leases),
      queueIn: async () => Promise.resolve([]),
    },
  } as unknown as QueueContext;
  const count = { kind: 'fixed', permits: 4 } as const;
  const semaphore = { key: 'k', directory: '/locks/k', count };
  const look = () => inspectSemaphore(context, {} as SessionLease, semaphore, {});
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(look, mostMs)).toBeLessThan(mostMs);
  const { inspection } = await look();
  expect(inspection).toMatchObject({ total: MANY, lastSequence: MANY - 1 });
});

it('200,000 leases do not block the event loop while a call waits for permits', async () => {
  const others = Array.from(
    { length: 2 * MANY },
    (_, index) => `_c_${randomUUID()}-of-5-lease-${inDigits(index + 1)}`,
  );
  const first = inDigits(0);
  let own = '';
  const context = {
    session: {
      create: async (
        _lease: unknown,
        path: string,
        _data: unknown,
        _mode: unknown,
        { onSent }: { onSent: () => void },
      ) => {
        own = path.slice('/k/leases/'.length) + first;
        onSent();
        return Promise.resolve({ path: path + first });
      },
      get: async () => Promise.resolve({ data: Buffer.alloc(0) }),
    },
    directories: { list: async () => Promise.resolve([...others, own]) },
    remover: { remove: () => undefined },
  } as unknown as QueueContext;
  const count = { kind: 'fixed', permits: 4 } as const;
  const agreement = new PermitAgreement(context.session, 'k', '/k/leases', count);
  const { prefix } = agreement;
  const busy = (): Error => new Error('busy');
  const claim = async (): Promise<void> => {
    const limits = { timeoutMs: 0, answerWithinMs: 60_000, onTimeout: busy, onAbort: busy };
    const turn = { lease: {} as SessionLease, path: '/k/locks/turn' };
    const newLease = { directory: '/k/leases', data: '', prefix };
    const request = { key: 'k', count, agreement, take: 1 };
    using wait = new Wait(limits);
    await expect(new PermitClaim(context, request, turn, newLease, wait).run()).rejects.toThrow(
      'busy',
    );
  };
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(claim, mostMs)).toBeLessThan(mostMs);
});

it('5,000 calls that acquire and release permits do not block the event loop of a program that follows the key', async () => {
  // Described as the tree does it, so that the objects are as fast to read as those of the tree.
  const contenders = (kind: 'lock' | 'lease', ephemeralOwner: string): TreeContender[] =>
    Array.from({ length: 5_000 }, (_, sequence) => {
      const name = `_c_${randomUUID()}-${kind}-${inDigits(sequence)}`;
      const stat = { czxid: BigInt(sequence), ctime: new Date(1_000), ephemeralOwner };
      const content = { data: Buffer.alloc(0), stat: { ...stat, dataLength: 0 } as NodeStat };
      return describeNode({ name, mode: 'write', sequence }, content, 'permit');
    });
  const keyOf = (seen: Partial<TreeKey>): TreeKey => treeKey({ kind: 'semaphore', ...seen });
  const seen = [
    keyOf({}),
    keyOf({ waiters: contenders('lock', 'a') }),
    keyOf({ holders: contenders('lease', 'b') }),
    keyOf({}),
  ];
  const follow = async (): Promise<void> => {
    const history = new History();
    for (const [index, after] of seen.entries()) {
      const before = seen[index - 1];
      const told = new Map<string, number>();
      const toldAt = (one: TreeContender): number =>
        told.get(before ? contenderPath(before, one) : '') ?? 2_000;
      const brokenBy = (): undefined => undefined;
      const change = { key: 'k', before, after, seenAt: 2_000, hasGap: false, toldAt, brokenBy };
      history.note(withHeldSince(change));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(history.of('k')).toHaveLength(200);
  };
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(follow, mostMs)).toBeLessThan(mostMs);
});

it('100,000 readers are not all asked at once to release their locks', async () => {
  let asked = 0;
  let atOnce = 0;
  let most = 0;
  const queue = Array.from({ length: MANY }, (_, sequence) => {
    const name = `_c_${randomUUID()}-__READ__${inDigits(sequence)}`;
    return { name, mode: 'read', sequence };
  });
  const context = {
    ...{
      root: '/locks',
      connectTimeoutMs: 60_000,
      activeLocks: { closing: new AbortController().signal },
    },
    dialect: dialectOf('curator-rw'),
    session: {
      whenConnected: async () => Promise.resolve({}),
      sync: async () => Promise.resolve(),
      exists: async () => {
        most = Math.max(most, ++atOnce);
        asked++;
        await Promise.resolve();
        atOnce--;
      },
    },
    directories: { queueIn: async () => Promise.resolve(queue) },
  } as unknown as QueueContext;
  const inspector = new Inspector(context);
  expect(await inspector.revoke('k')).toBe(0);
  expect(asked).toBe(MANY);
  expect(most).toBeLessThanOrEqual(100);
});

it('100,000 nodes do not block the event loop of a program whose creations were not answered', async () => {
  const CALLS = 300;
  const names = numbers.map((number) => `_c_${randomUUID()}-__WRIT__${inDigits(number)}`);
  const lost = new ZooKeeperError(ReturnCode.connectionLoss, 'create', '/k');
  const createAll = async (): Promise<void> => {
    let creations = 0;
    const session = {
      create: async (_lease: unknown, path: string) =>
        ++creations <= CALLS
          ? Promise.reject(lost)
          : Promise.resolve({ path: `${path}0000000001` }),
      list: async () => Promise.resolve(names),
      sync: async () => Promise.resolve(),
      whenReconnected: async () => Promise.resolve(true),
    } as unknown as Session;
    const creator = {
      session,
      remover: { expectLate: () => undefined },
      directories: new Directories(session, silentLogger, '/'),
    };
    const create = (): Promise<unknown> =>
      createNode(creator, {} as SessionLease, {
        ...{ directory: '/k', mode: 'ephemeral-sequential', data: '' },
        newName: () => `_c_${randomUUID()}-__WRIT__`,
      });
    await Promise.all(Array.from({ length: CALLS }, create));
    expect(creations).toBe(2 * CALLS);
  };
  const mostMs = onThisMachine(50);
  expect(await longestTurnOf(createAll, mostMs)).toBeLessThan(mostMs);
});

it.each([
  ['one directory', () => '/k'],
  ['as many', (index: number) => `/k${index}`],
])(
  'late creations in %s do not block the event loop of a program that looks for them among 100,000 nodes',
  async (_, directoryOf) => {
    const CALLS = 10_000;
    const names = numbers.map((number) => `_c_${randomUUID()}-__WRIT__${inDigits(number)}`);
    const given = names.slice(-CALLS);
    const shown = (directory: string): string[] =>
      directory === '/k' ? names : [given[Number(directory.slice('/k'.length))]!];
    const session = {
      // No server answers within the turn of the request.
      list: async (_: unknown, directory: string) => nextTurn(shown(directory)),
    } as unknown as Session;
    const lease = { timeoutMs: 600, listen: () => undefined, unlisten: () => undefined };
    const removeAll = async (): Promise<void> => {
      const removed = await new Promise<string[]>((resolve) => {
        const paths: string[] = [];
        const late = new LateNodes(session, 60_000, (_, path) => {
          if (paths.push(path) === CALLS) resolve(paths);
        });
        for (const [index, name] of given.entries()) {
          late.expect(lease as unknown as SessionLease, directoryOf(index), name.slice(0, -10));
        }
      });
      expect(removed).toEqual(given.map((name, index) => `${directoryOf(index)}/${name}`));
    };
    const mostMs = onThisMachine(50);
    expect(await longestTurnOf(removeAll, mostMs)).toBeLessThan(mostMs);
  },
);
