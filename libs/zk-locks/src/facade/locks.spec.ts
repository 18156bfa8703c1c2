import { expect, it, onTestFinished } from 'vitest';
import { Locks } from './locks.js';

it('says that it was not started if a call waits for a connection without success', async () => {
  const locks = new Locks({ servers: '127.0.0.1:1' });
  const acquiring = locks.acquire('k', { timeoutMs: 1 });
  await expect(acquiring).rejects.toThrow(
    /within 1 ms: start\(\) was not called\. First call start\(\) and wait for it;/,
  );
  await locks.close();
});

it('refuses options of start() that it does not know or that are malformed', async () => {
  const locks = new Locks({ servers: '127.0.0.1:1' });
  onTestFinished(() => locks.close());
  const start = (options: object) => locks.start(options);
  await expect(start({ lazy: true })).rejects.toThrow(/`lazy` is not an option\. Use wait\./);
  await expect(start({ connectTimeoutMs: 5 })).rejects.toThrow(
    /`connectTimeoutMs` is not an option of calls\. Set `connectTimeoutMs` for the connection/,
  );
  await expect(start({ wait: 'no' })).rejects.toThrow(/`wait` must be true or false/);
});

it.each([
  [{ shutdownGraceMs: 5 }, /`shutdownGraceMs` is not an option\. Use graceMs\./],
  [{ graceMs: NaN }, /`graceMs` must be a finite number/],
])('closes everything before it refuses %j', async (options, problem) => {
  const locks = new Locks({ servers: '127.0.0.1:1' });
  await expect(locks.close(options as object)).rejects.toThrow(problem);
  expect(locks.closing.aborted).toBe(true);
});
