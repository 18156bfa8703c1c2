import { expect, it } from 'vitest';
import { ErrorCode } from 'zk-protocol';
import { shortSession } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { LiedTo, useLiedTo } from './support/lied-to.js';
import {
  aboutAll,
  created,
  granting,
  handshake,
  listed,
  owned,
  partOfHandshake,
  patched,
  silence,
  swapped,
  withError,
} from './support/lies.js';
import type { Lie } from './support/lying-server.js';

const DAY_MS = 86_400_000;

const LIES: readonly [what: string, lie: Lie][] = [
  ['says nothing', silence],
  ['hangs up instead of an answer', aboutAll(() => 'close')],
  [
    'answers for another request',
    aboutAll(({ bytes }) => patched(bytes, (copy) => copy.writeInt32BE(7_777, 0))),
  ],
  ['answers in another order', swapped()],
  ['ends sessions by error codes', aboutAll(withError(ErrorCode.sessionExpired))],
  ['has error codes of its own', aboutAll(withError(-31_337))],
  ['has no node, whatever was asked', aboutAll(withError(ErrorCode.noNode))],
  ['has every node, whatever was asked', aboutAll(withError(ErrorCode.nodeExists))],
  ['shows names that cannot be', listed('', '.', '..', 'a/b')],
  ['says that nodes are of others', owned(0x1234n)],
];

/** The server tells one lie after the other. After each, everything must work as before. */
const told = useLiedTo();

it.each(LIES)('a server that %s causes no busy loop and proves no lock', async (_, lie) => {
  const { story } = told;
  story.server.lie = lie;
  expect(await story.tryToLock()).toMatch(/^(ZK|LOCK)_\w+$/);
  await story.expectRecovery();
});

const HANDSHAKES: readonly [what: string, lie: Lie][] = [
  ['hangs up after them', () => 'close'],
  ['sends the half of them', partOfHandshake(20)],
  ['grants sessions of 0 ms', granting(0)],
  ['grants sessions without an id', handshake((copy) => void copy.writeBigInt64BE(0n, 8))],
  ['grants sessions of others', handshake((copy) => void copy.writeBigInt64BE(0x77n, 8))],
];

it.each(HANDSHAKES)(
  'causes no busy loop, and proves no lock: a server whose handshakes lie: it %s',
  async (_, lie) => {
    const { story } = told;
    story.server.lie = lie;
    story.server.hangUp();
    expect(await story.tryToLock()).toMatch(/^(ZK|LOCK)_\w+$/);
    await story.expectRecovery();
  },
);

it.concurrent.for([
  ['elsewhere', created('/elsewhere/important')],
  ['without a number', created('/k')],
] as const)('finds its node by the GUID in its name: a server says it is %s', async ([, lie]) => {
  // The session and the call are long enough for a busy machine.
  await using story = await LiedTo.start({ sessionTimeoutMs: 10_000 });
  story.server.lie = lie;
  expect(await story.tryToLock(20_000)).toBe('granted');
  await story.expectRecovery();
});

it.concurrent('notices silence no later because of a long granted session timeout', async () => {
  await using story = await LiedTo.start();
  story.server.lie = granting(DAY_MS);
  story.server.hangUp();
  const { lock } = await waitFor(() => story.hold(), { what: 'a lock' });
  const timeoutMs = 4 * shortSession.sessionTimeoutMs;
  // On a busy machine, the connection may have been given up.
  await expect
    .poll(async () => (await story.worker.session()).state)
    .toMatchObject({ name: 'connected', timeoutMs });
  story.server.lie = silence;
  story.server.keepsOpen = true;
  const { reason } = await story.worker.loss(lock);
  // The server's own timeout is 2 s. After that, the client may learn of the expiry from the server
  // first.
  expect(['lease-expired', 'session-expired']).toContain(reason);
  story.server.keepsOpen = false;
  await story.expectRecovery();
});

it.concurrent('does not hold a lock on the basis of answers from before the lie', async () => {
  await using story = await LiedTo.start();
  const { lock } = await story.hold();
  story.server.lie = silence;
  const { reason } = await story.worker.loss(lock);
  expect(reason).toBe('lease-expired');
  expect(await story.worker.inspect(lock)).toEqual({ isHeld: false, aborted: true });
  await story.expectRecovery();
});

it.concurrent('ends in bounded time, whatever the server answers', async () => {
  await using story = await LiedTo.start();
  await story.hold();
  story.server.lie = silence;
  story.worker.signal('SIGTERM');
  await waitFor(() => story.worker.hasExited, { what: 'the worker to end', timeoutMs: 15_000 });
});
