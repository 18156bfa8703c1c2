import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it, onTestFinished } from 'vitest';
import { openLocks, ownRoot, reconnect } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';

/**
 * The C client's sockets are not closed in child processes. Where a child has inherited one, the
 * kernel goes on reporting its events under the number that the parent has closed and used anew.
 */
it('keeps the lock when connections are lost whose sockets a child process has inherited', async () => {
  const proxy = await openProxy();
  const locks = await openLocks({ root: ownRoot(), servers: proxy.connectString });
  const lock = await locks.acquire('k');
  for (let round = 1; round <= 5; round++) {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    onTestFinished(() => void child.kill());
    await reconnect(proxy, locks);
  }
  lock.assertHeld();
});
