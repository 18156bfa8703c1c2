import { beforeAll, expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** A server closes the connection without an answer when a frame is longer. */
const MAX_BUFFER_BYTES = 1_536;
const KEYS = Array.from({ length: 200 }, (_, index) => `short-frames-${index}`);

let servers: string;

beforeAll(async () => {
  const server = await ZooKeeperServer.start({
    systemProperties: { 'jute.maxbuffer': String(MAX_BUFFER_BYTES) },
  });
  servers = server.connectString;
  return () => server.stop();
});

it('sends shorter batches to a server that accepts only short frames, and keeps doing so', async () => {
  const locks = await openLocks({ servers, client: 'wire' });
  let cuts = 0;
  locks.session.onState(({ name }) => {
    if (name === 'suspended') cuts++;
  });
  const round = async (): Promise<void> => {
    const held = await Promise.all(KEYS.map((key) => locks.acquire(key)));
    await Promise.all(held.map((lock) => lock.release()));
  };
  // From the second round on, the directories exist, and the requests are sent as a multi.
  for (let rounds = 0; rounds < 6; rounds++) await round();
  expect(cuts).toBeGreaterThan(0);
  // Halved eight times at most, because a batch has up to 256 KB.
  expect(cuts).toBeLessThan(9);
});

it('refuses a request that is too long for the server, and says what to do; other locks remain held', async () => {
  const long = '長'.repeat(200);
  const locks = await openLocks({ servers, client: 'wire', application: long });
  const held = await locks.acquire('held');
  await expect(locks.acquire('k'.repeat(500), { label: long })).rejects.toMatchObject({
    code: 'ZK_BAD_ARGUMENTS',
    message: expect.stringContaining('Raise jute.maxbuffer on the servers') as unknown,
  });
  held.assertHeld();
  await held.release();
  await (await locks.acquire('k')).release();
});

it('says what to do about a znode that is too long for the server, even if it may have been written', async () => {
  const { client } = await openLocks({ servers, client: 'wire' });
  const path = '/too-long';
  await client.create(path);
  await expect(client.set(path, 'x'.repeat(5_000), { version: 0 })).rejects.toMatchObject({
    outcome: 'ambiguous',
    message: expect.stringMatching(/5\d{3} bytes.*Raise jute\.maxbuffer.*may have been/) as unknown,
  });
  await client.delete(path, { version: 0 });
});
