import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it, onTestFinished } from 'vitest';
import { openLocks, ownRoot, reconnect } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';

/**
 * Child processes inherit the C client's sockets. The kernel then continues to report their events
 * under a descriptor that the parent has closed and reused.
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
