import { beforeAll, expect, it } from 'vitest';
import { openInspector, openLocks } from '../support/locks.js';
import { startSaslServer } from '../support/sasl-server.js';

const credentials = { username: 'billing', password: 'opensesame-7391', scheme: 'sasl' } as const;

/** The only client that supports SASL. */
const client = 'wire';

let servers: string;

beforeAll(async () => {
  const server = await startSaslServer({ [credentials.username]: credentials.password });
  servers = `127.0.0.1:${server.port}`;
  return () => server[Symbol.asyncDispose]();
});

it('takes locks as a SASL user, whose nodes no other client can access', async () => {
  const a = await openLocks({ servers, credentials, client });
  const b = await openLocks({ servers, credentials, client });
  const lock = await a.acquire('k');
  expect(await b.tryAcquire('k')).toBeNull();
  const outsider = await openInspector(servers);
  await expect(outsider.children('/locks/k')).rejects.toThrow('not authenticated');
  const digest = await openLocks({
    servers,
    credentials: { username: credentials.username, password: credentials.password },
    client,
  });
  await expect(digest.acquire('k')).rejects.toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  await lock.release();
  await using next = await b.acquire('k');
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
});
