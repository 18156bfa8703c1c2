import { beforeAll, describe, expect, it } from 'vitest';
import { clientOfTests } from '../support/clients.js';
import { openLocks } from '../support/locks.js';
import { uniqueRoot } from '../support/shared-server.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { credentials } from './support/place.js';

let servers: string;

/** They close the connection on any unauthenticated request, even one that ends a session. */
beforeAll(async () => {
  const server = await ZooKeeperServer.start({
    systemProperties: {
      'zookeeper.enforce.auth.enabled': 'true',
      'zookeeper.enforce.auth.schemes': 'digest',
    },
  });
  servers = server.connectString;
  return () => server.stop();
});

describe('servers that enforce authentication', () => {
  const acl = clientOfTests() === 'wire' ? 'creator' : 'open';

  it.each([...new Set([acl, 'open'] as const)])(
    'take locks of a user with the ACL %s',
    async (each) => {
      const root = uniqueRoot();
      const locks = await openLocks({ servers, root, credentials, acl: each });
      await using lock = await locks.acquire('k');
      expect(await locks.tryAcquire('k', { reentrant: false })).toBeNull();
      expect(lock.fencingToken).toBeGreaterThan(0n);
    },
  );

  it('end a session that was given up, and with it its locks', async () => {
    const root = uniqueRoot();
    // Far longer than the wait, so that the session does not expire.
    const given = { servers, root, credentials, acl, sessionTimeoutMs: 40_000 } as const;
    const a = await openLocks(given);
    const b = await openLocks(given);
    const lock = await a.acquire('k');
    a.session.giveUp(a.session.connectedLease!);
    expect(lock.signal.aborted).toBe(true);
    await using next = await b.acquire('k', { timeoutMs: 20_000 });
    expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
    await next.release();
    await using again = await a.acquire('k');
    expect(again.fencingToken).toBeGreaterThan(next.fencingToken);
  });

  it('tell the reason to clients without credentials', async () => {
    const failure: unknown = await openLocks({ servers, connectTimeoutMs: 5_000 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'ZK_UNAVAILABLE', cause: { code: 'ZK_AUTH_FAILED' } });
    expect(String((failure as Error).cause)).toContain('the servers require authentication');
  });
});
