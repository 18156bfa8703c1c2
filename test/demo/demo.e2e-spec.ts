import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answers, ownTempDir, startDemo } from './demo-process.js';

describe('the demo', () => {
  it('shows that only the lock counts every ticket, and leaves nothing behind', async () => {
    const folder = ownTempDir();
    const demo = startDemo('demo', { TMPDIR: folder });

    expect(await demo.outcome()).toEqual({ code: 0, signal: null });
    expect(demo.stdout).toMatch(/with @Locked\(\) +│ 100 +│ 100 +│ 0 +│/);
    const [, counted, lost] = /without a lock +│ 100 +│ (\d+) +│ (\d+) +│/.exec(demo.stdout) ?? [];
    expect(Number(lost)).toBeGreaterThan(0);
    expect(Number(counted) + Number(lost)).toBe(100);
    expect(demo.errors).toBe('');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends its replicas and its ZooKeeper on SIGINT, and on SIGTERM', async () => {
    const endBy = async (signal: NodeJS.Signals, code: number): Promise<void> => {
      const folder = ownTempDir();
      const demo = startDemo('demo', { TMPDIR: folder });
      await demo.said(/^(Selling)/m);
      const addresses = [...demo.stdout.matchAll(/localhost:\d+|127\.0\.0\.1:\d+/g)].map(String);
      expect(addresses).toHaveLength(3);

      demo.signal(signal);

      expect(await demo.outcome()).toEqual({ code, signal: null });
      expect(await Promise.all(addresses.map(answers))).toEqual([false, false, false]);
      expect(demo.stdout).not.toContain('ticket was counted');
      expect(readdirSync(folder)).toEqual([]);
    };
    await Promise.all([endBy('SIGINT', 130), endBy('SIGTERM', 143)]);
  });
});
