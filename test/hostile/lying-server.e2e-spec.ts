import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeReply, encodeWatcherEvent, ErrorCode, OpCode } from 'zk-protocol';
import { LockWorker } from '../support/lock-worker.js';
import { shortSession } from '../support/locks.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { type Answer, type Lie, LyingServer } from './support/lying-server.js';
import { seed } from './support/seed.js';

const TIMEOUT_MS = 1_500;

const patched = (bytes: Buffer, write: (copy: Buffer) => void): Buffer[] => {
  const copy = Buffer.from(bytes);
  write(copy);
  return [copy];
};

/** Lies about the answers to one type of request, and tells the truth about others. */
const about =
  (type: Answer['type'], lie: Lie): Lie =>
  (answer) =>
    answer.type === type ? lie(answer) : [answer.bytes];

const isAnswer = ({ type }: Answer): boolean => type !== 'connect' && type !== OpCode.error;

/** About all answers, but for handshakes and events. */
const aboutAll =
  (lie: Lie): Lie =>
  (answer) =>
    isAnswer(answer) ? lie(answer) : [answer.bytes];

const withError =
  (code: number): Lie =>
  ({ bytes }) =>
    patched(bytes.subarray(0, 16), (copy) => copy.writeInt32BE(code, 12));

const reply = <T extends Parameters<typeof encodeReply>[1]>(
  { xid, bytes }: Answer,
  type: T,
  body: Parameters<typeof encodeReply<T>>[2],
): Buffer[] => [encodeReply({ xid, zxid: bytes.readBigInt64BE(4) }, type, body).subarray(4)];

const isError = ({ bytes }: Answer): boolean => bytes.readInt32BE(12) !== ErrorCode.ok;

const created = (path: string): Lie =>
  about(OpCode.create, (answer) =>
    isError(answer) ? [answer.bytes] : reply(answer, OpCode.create, { path }),
  );

const listed = (...children: string[]): Lie =>
  about(OpCode.getChildren, (answer) => reply(answer, OpCode.getChildren, { children }));

/** The owner is followed by two ints and a long. */
const owned = (owner: bigint): Lie =>
  about(OpCode.getData, (answer) =>
    isError(answer)
      ? [answer.bytes]
      : patched(answer.bytes, (copy) => copy.writeBigInt64BE(owner, copy.length - 24)),
  );

const handshake = (write: (copy: Buffer) => void): Lie =>
  about('connect', ({ bytes }) => patched(bytes, write));

const LIES: readonly [what: string, lie: Lie, breaksConnections?: boolean][] = [
  ['says nothing', aboutAll(() => [])],
  ['hangs up instead of an answer', aboutAll(() => 'close')],
  ['hangs up after the handshake', () => 'close', true],
  [
    'answers for another request',
    aboutAll(({ bytes }) => patched(bytes, (copy) => copy.writeInt32BE(7_777, 0))),
  ],
  ['ends sessions by error codes', aboutAll(withError(ErrorCode.sessionExpired))],
  ['says that it is not connected', aboutAll(withError(-9))],
  ['has lost the connection, it says', aboutAll(withError(-4))],
  ['has error codes of its own', aboutAll(withError(-31_337))],
  ['has positive error codes', aboutAll(withError(31_337))],
  ['has no node, whatever was asked', aboutAll(withError(ErrorCode.noNode))],
  ['has every node, whatever was asked', aboutAll(withError(ErrorCode.nodeExists))],
  ['creates nodes elsewhere', created('/elsewhere/important')],
  ['creates nodes without a number', created('/k')],
  ['shows empty directories', listed()],
  ['shows names that cannot be', listed('', '.', '..', 'a/b')],
  ['shows names of nobody', listed('x'.repeat(10_000))],
  ['says that nodes have no owner', owned(0n)],
  ['says that nodes are of others', owned(0x1234n)],
  ['grants sessions of 0 ms', handshake((copy) => copy.writeInt32BE(0, 4)), true],
  ['grants sessions of negative time', handshake((copy) => copy.writeInt32BE(-5, 4)), true],
  ['grants sessions of 3 ms', handshake((copy) => copy.writeInt32BE(3, 4)), true],
  ['grants sessions without an id', handshake((copy) => copy.writeBigInt64BE(0n, 8)), true],
  ['grants sessions of others', handshake((copy) => copy.writeBigInt64BE(0x77n, 8)), true],
];

/** Bytes that it sends without having been asked. */
const NOISE: readonly [what: string, bytes: Buffer][] = [
  [
    'an event of a path that nobody watches',
    encodeWatcherEvent({ type: 2, state: 3, path: '/nobody' }),
  ],
  ['an event of an unknown type', encodeWatcherEvent({ type: 99, state: 3, path: '/nobody' })],
  ['an event of an unknown state', encodeWatcherEvent({ type: -1, state: 99, path: '' })],
  ['the beginning of a frame of 2 GB', Buffer.from([0x7f, 0xff, 0xff, 0xff, 1, 2, 3])],
  ['half of a frame', Buffer.from([0, 0, 0, 64, 1, 2, 3])],
];

let server: LyingServer;
let worker: LockWorker;
let keys = 0;

const startWorker = (): Promise<LockWorker> =>
  LockWorker.start({
    ...shortSession,
    servers: server.connectString,
    root: uniqueRoot(),
    connectTimeoutMs: 8_000,
  });

beforeAll(async () => {
  server = await LyingServer.start(sharedServer().port);
  worker = await startWorker();
});

afterEach(() => {
  server.lie = undefined;
});

afterAll(async () => {
  await worker.stop();
  await server[Symbol.asyncDispose]();
});

/** Of the worker, in ms. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${worker.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Asks for a lock, which ends in its time, without a busy loop; never with one that is not proved. */
async function tryToLock(key: string, isFound: boolean): Promise<void> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  const outcome = await worker.acquire(key, 'write', TIMEOUT_MS).then(
    () => 'granted',
    (error: unknown) => (error as { code: string }).code,
  );
  const tookMs = performance.now() - startedAt;
  // By the GUID in its name, a node is found whatever was said of its creation.
  expect(outcome).toMatch(isFound ? /^granted$/ : /^(ZK|LOCK)_\w+$/);
  expect(worker.hasExited).toBe(false);
  expect(tookMs).toBeLessThan(TIMEOUT_MS + 5_000);
  // Half of the time, and a start.
  expect(cpuMs() - cpuBefore).toBeLessThan(tookMs / 2 + 500);
}

/** Once it tells the truth again, everything is as it was. */
async function expectRecovery(): Promise<void> {
  server.lie = undefined;
  const key = `sane-${++keys}`;
  const granted = await waitFor(() => worker.acquire(key, 'write', 3_000), {
    what: 'a lock from a sane server',
    timeoutMs: 15_000,
  });
  await worker.assertHeld(granted.lock);
  await worker.release(granted.lock);
}

describe.each(LIES)('a server that %s', (what, lie, breaksConnections = false) => {
  it('keeps nobody busy, and proves no lock', async () => {
    const key = `lie-${++keys}`;
    server.lie = lie;
    if (breaksConnections) server.hangUp();
    await tryToLock(key, what.startsWith('creates'));
    await expectRecovery();
  });
});

describe.each(NOISE)('a server that sends %s', (_what, bytes) => {
  it('is survived', async () => {
    const { lock } = await worker.acquire(`noise-${++keys}`, 'write', 5_000);
    server.send(bytes);
    await waitFor(async () => (await worker.session()).state.name === 'connected', {
      what: 'a connection',
      timeoutMs: 15_000,
    });
    await worker.release(lock);
    await expectRecovery();
    expect(worker.hasExited).toBe(false);
  });
});

it('holds nothing that was proved before the lie began', async () => {
  const { lock } = await worker.acquire(`held-${++keys}`, 'write', 5_000);
  server.lie = aboutAll(() => []);
  const { reason } = await worker.loss(lock);
  expect(reason).toBe('lease-expired');
  expect(await worker.inspect(lock)).toEqual({ isHeld: false, aborted: true });
  await expectRecovery();
});

it('ends in bounded time, whatever the server says then', async () => {
  using other = await startWorkerFor(aboutAll(() => []));
  other.signal('SIGTERM');
  await waitFor(() => other.hasExited, { what: 'the worker to end', timeoutMs: 15_000 });
});

async function startWorkerFor(lie: Lie): Promise<LockWorker & Disposable> {
  const other = await startWorker();
  await other.acquire(`other-${seed}`, 'write', 5_000);
  server.lie = lie;
  return Object.assign(other, { [Symbol.dispose]: () => void other.stop() });
}
