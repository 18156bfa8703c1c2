import { describe, expect, it } from 'vitest';
import { endsWithin } from '../support/ends-within.js';
import { leftOf } from '../support/left-of.js';
import { openInspector, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { ownTempDir, startDemo, urlOf } from './demo-process.js';

describe('a box office process', () => {
  it('refuses waiters and lets the holder finish when it is told to end', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const ZK_CONNECT = sharedServer().connectString + root;
    const boxOffice = startDemo('box-office', { ZK_CONNECT, TMPDIR: ownTempDir() });
    const url = await urlOf(boxOffice);
    // A kept-alive connection delays the end of Node's HTTP server by five seconds.
    const request = { method: 'POST', headers: { connection: 'close' } };
    let isAudited = false;
    const audit = fetch(`${url}/shows/hamlet/audit?takesMs=5000`, request).finally(
      () => (isAudited = true),
    );
    const lockNodes = async (): Promise<string[]> =>
      (await inspector.tree(root)).filter((path) => /__(READ|WRIT)__/.test(path));
    await waitFor(async () => (await lockNodes()).length === 1, { what: 'the audit to begin' });
    const purchase = fetch(`${url}/shows/hamlet/tickets`, request);
    await waitFor(async () => (await lockNodes()).length === 2, { what: 'a waiting buyer' });

    boxOffice.signal('SIGTERM');

    expect((await purchase).status).toBe(503);
    expect(isAudited).toBe(false);
    expect((await audit).status).toBe(200);
    expect(await endsWithin(4_000, boxOffice.outcome())).toBe(true);
    expect(await boxOffice.outcome()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await leftOf(lockNodes)).toEqual([]);
  });
});
