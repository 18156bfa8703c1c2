import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks, ownRoot, shortSession } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

/**
 * The C client's sockets are not closed in child processes. Where a child has inherited one, the
 * kernel goes on reporting its events under the number that the parent has closed and used anew.
 */
it('keeps the lock when connections are lost whose sockets a child process has inherited', async () => {
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ ...shortSession, root: ownRoot(), servers: proxy.connectString });
  const lock = await locks.acquire('k');
  let suspensions = 0;
  locks.session.onState(({ name }) => (suspensions += name === 'suspended' ? 1 : 0));

  for (let round = 1; round <= 5; round++) {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    onTestFinished(() => void child.kill());
    await proxy.cut();
    await waitFor(() => suspensions === round && locks.session.isConnected, {
      what: `the session to be attached to connection ${round}`,
    });
  }
  lock.assertHeld();
});
