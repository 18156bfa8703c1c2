import { expect, it } from 'vitest';
import { Locks } from './locks.js';

it('says that it was not started if a call waits for a connection without success', async () => {
  const locks = new Locks({ servers: '127.0.0.1:1' });
  const acquiring = locks.acquire('k', { timeoutMs: 1 });
  await expect(acquiring).rejects.toThrow(
    /within 1 ms: start\(\) was not called\. First call start\(\) and wait for it;/,
  );
  await locks.close();
});
