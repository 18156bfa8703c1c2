import { describe, expect, it } from 'vitest';
import { type DeadlockedCall, describeDeadlock } from './deadlock.js';
import { LockTimeoutError } from './lock-errors.js';

describe('a deadlock', () => {
  const call = (host: string, holds: string, waitsFor: string): DeadlockedCall => ({
    ...{ holds, waitsFor, node: 'n' },
    holder: { host, pid: 812, since: '2020-01-01T00:00:00Z' },
  });

  it('is described call by call, in the order in which they wait', () => {
    const circle = [call('orders-7', 'a', 'b'), call('orders-9', 'b', 'a')];
    expect(describeDeadlock(circle)).toBe(
      'deadlock: orders-7 (pid 812) holds "a" and waits for "b"; orders-9 (pid 812) holds "b" and waits for "a"',
    );
  });

  it('of a call that waits for itself is advised to leave out `reentrant: false`, not to order keys', () => {
    const deadlock = [call('orders-7', 'a', 'a')];
    const { message } = new LockTimeoutError('a', 'write', 2_000, { deadlock });
    expect(message).toContain('the call waits for itself: orders-7 (pid 812) holds "a"');
    expect(message).toContain('Leave out `reentrant: false`');
    expect(message).not.toMatch(/in one order|raise `timeoutMs`/);
  });

  it('is one line of reasonable length, however long the circle and its names are', () => {
    const nasty = call('a\nERROR', 'k'.repeat(500), '\u001b[31m');
    const text = describeDeadlock(Array.from({ length: 20 }, () => nasty));
    expect(text).toMatch(/; and 12 more$/);
    expect(text).not.toMatch(/[\n\u001b]/u);
    expect(text.length).toBeLessThan(1_500);
  });
});
