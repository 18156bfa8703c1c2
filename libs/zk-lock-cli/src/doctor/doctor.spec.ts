import dns from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeadlockedCall } from 'zk-locks';
import type { TreeContender, TreeKey, TreeSight } from 'zk-locks/inspect';
import { replaceBuiltin } from '../../../../test/support/replace-builtin.js';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { examineKeys } from './keys.js';
import { askServers } from './servers.js';
import { canLoseTransactions, readStatus, readTickTime } from './server-status.js';
import { describeClock, describeLatency } from './write-check.js';

describe('what a server says of itself', () => {
  it.each([
    {
      answer: 'Zookeeper version: 3.8.4-9316c2a, built on 2024\nLatency: 0\nMode: follower\n',
      status: { kind: 'serving', version: '3.8.4', mode: 'follower' },
    },
    {
      answer: 'This ZooKeeper instance is not currently serving requests\n',
      status: { kind: 'not-serving' },
    },
    {
      answer: 'srvr is not executed because it is not in the whitelist.\n',
      status: { kind: 'mute' },
    },
    { answer: '', status: { kind: 'strange' } },
    { answer: 'HTTP/1.1 400 Bad Request\r\n', status: { kind: 'strange' } },
  ])('is read: $status.kind', ({ answer, status }) => {
    expect(readStatus(answer)).toEqual(status);
  });

  it('includes its tick if the server reports it', () => {
    expect(readTickTime('clientPort=2181\ntickTime=2000\nmaxClientCnxns=60\n')).toBe(2_000);
    expect(readTickTime('conf is not executed because it is not in the whitelist.\n')).toBe(
      undefined,
    );
  });

  it.each([
    { version: '3.5.9', can: true },
    { version: '3.8.4', can: true },
    { version: '3.8.5', can: false },
    { version: '3.9.3', can: true },
    { version: '3.9.4', can: false },
    { version: '3.10.0', can: false },
  ])('$version can lose transactions: $can', ({ version, can }) => {
    expect(canLoseTransactions(version)).toBe(can);
  });
});

it('a server that is not ZooKeeper is called so', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { findings } = await askServers({ servers: `127.0.0.1:${port}` }, 30_000);
  expect(findings).toMatchObject([
    { level: 'problem', message: 'is not a ZooKeeper server: it says "HTTP/1.1 400 Bad Request"' },
  ]);
});

describe('what was measured', () => {
  it.each([
    { ms: 3.21, level: 'ok', says: 'took 3.2 ms' },
    { ms: 150, level: 'note', says: 'took 150 ms' },
    { ms: 1_500, level: 'problem', says: 'took 1500 ms' },
  ])('is judged: a write of $ms ms', ({ ms, level, says }) => {
    const finding = describeLatency(ms);
    expect(finding.level).toBe(level);
    expect(finding.message).toContain(says);
  });

  it.each([
    { aheadMs: 500, ms: 10, level: 'ok' },
    { aheadMs: 61_000, ms: 10, level: 'problem', says: 'is 1 min 00 s ahead of' },
    { aheadMs: -61_000, ms: 10, level: 'problem', says: 'is 1 min 00 s behind' },
    // The server may have made the node at any moment of the wait.
    { aheadMs: 5_000, ms: 10_000, level: 'ok' },
  ])('is judged: a clock that is ahead by $aheadMs ms', ({ aheadMs, ms, level, says = '' }) => {
    const finding = describeClock({ ms, aheadMs });
    expect(finding.level).toBe(level);
    expect(finding.message).toContain(says);
  });
});

const key = (name: string, found: Partial<TreeKey> = {}): TreeKey =>
  treeKey({ key: name, ...found });

const sightOf = (keys: readonly TreeKey[], more: Partial<TreeSight> = {}): TreeSight => ({
  ...{ keys: new Map(keys.map((each) => [each.key, each])), deadlocks: [], dialect: 'curator-rw' },
  ...{ areDeadlocksCut: false, areKeysCut: false, ...more },
});

const holder = (since: number): TreeContender =>
  treeContender({
    queuedAt: new Date(since),
    holder: { host: 'web-1', pid: 42, since: '' },
  });

describe('the keys', () => {
  it('are reported once each: a key with a problem is not called ok', async () => {
    const keys = [
      key('stuck', { holders: [holder(0)], total: 1 }),
      key('fine', { holders: [holder(86_399_000)], total: 1 }),
    ];
    const findings = await examineKeys(sightOf(keys), 86_400_000);
    expect(findings.map(({ level, about }) => [level, about])).toEqual([
      ['ok', 'keys'],
      ['ok', 'key "fine"'],
      [expect.stringMatching(/note|problem/), 'key "stuck"'],
    ]);
  });

  it('are named in the form that other verbs accept', async () => {
    const keys = ['a\nb', String.raw`a\u{a}b`].map((name) => key(name, { isHidden: true }));
    const findings = await examineKeys(sightOf(keys), 0);
    expect(findings.slice(1).map(({ about }) => about)).toEqual([
      String.raw`key "a\u{a}b"`,
      String.raw`key "a\u{5c}u{a}b"`,
    ]);
  });

  it('are not called ok if they are part of a deadlock', async () => {
    const keys = ['a', 'b'].map((name) => key(name, { holders: [holder(0)], total: 1 }));
    const call = (holds: string, waitsFor: string): DeadlockedCall => ({
      ...{ holder: { host: 'web-1', pid: 42, since: '' }, holds, waitsFor, node: 'n' },
    });
    const deadlocks = [[call('a', 'b'), call('b', 'a')]];
    const findings = await examineKeys(sightOf(keys, { deadlocks }), 1_000);
    expect(findings.map(({ level, about }) => [level, about])).toEqual([
      ['ok', 'keys'],
      ['problem', 'key "b"'],
    ]);
  });

  it.each([20_000, 20_001])('that are empty pile up from 20,001 on: %i', async (count) => {
    const empty = Array.from({ length: count }, (_, index) => key(`k${index}`));
    const found = await examineKeys(sightOf([...empty, key('busy', { total: 1, waiting: 1 })]), 0);
    expect(found[0]?.message).toBe('1 in use, 0 held, 1 waiting');
    const piles = found.filter(({ remedy }) => remedy?.includes('znode.container.maxPerMinute'));
    expect(piles.map(({ level }) => level)).toEqual(count > 20_000 ? ['note'] : []);
  });

  it('have problems, each with what to do by the names of flags, ten of them at most', async () => {
    const keys = Array.from({ length: 12 }, (_, index) =>
      key(`k${index}`, { dialects: ['kazoo'], isHidden: index === 0 }),
    );
    const findings = await examineKeys(sightOf(keys, { areDeadlocksCut: true }), 0);
    expect(findings.filter(({ level }) => level === 'problem')).toHaveLength(10);
    expect(findings.at(-1)).toMatchObject({ level: 'note', message: '4 more findings not shown' });
    for (const { level, remedy = '' } of findings) if (level !== 'ok') expect(remedy).toMatch(/\w/);
    expect(findings[1]?.remedy).toContain('set --dialect (ZK_LOCK_DIALECT) to kazoo');
  });
});

describe('the only name', () => {
  let resolved: string[] = [];
  const { lookup } = dns;
  replaceBuiltin(dns, 'lookup', ((host: string, options: object) =>
    host === 'localhost'
      ? Promise.resolve(resolved.map((address) => ({ address, family: 4 })))
      : lookup(host, options)) as typeof lookup);

  it.each([
    { addresses: ['127.0.0.1'], isTold: true },
    // The system may have no second address of its own.
    { addresses: ['127.0.0.1', '127.0.0.1'], isTold: false },
  ])('is told to be that of one of several: $isTold for $addresses', async (example) => {
    const answer = 'Zookeeper version: 3.9.4-1, built on 2025\nMode: follower\n';
    const server = createTcpServer((socket) => socket.end(answer)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    resolved = example.addresses;
    const { findings } = await askServers({ servers: `localhost:${port}` }, 30_000);
    const isTold = findings.some(({ message }) => message.startsWith('only one of several'));
    expect(isTold).toBe(example.isTold);
  });
});
