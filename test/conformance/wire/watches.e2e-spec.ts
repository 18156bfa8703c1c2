import { describe, expect, it } from 'vitest';
import { openWire, ownNode } from './support.js';

describe('an event', () => {
  it('comes before any answer that shows the change', async () => {
    const [root, watcher, writer] = [await ownNode(), await openWire(), await openWire()];
    for (let round = 1; round <= 50; round++) {
      await watcher.getData(root, true);
      const start = watcher.client.received.length;
      const reads: Promise<unknown>[] = [];
      const write = writer.setData(root, String(round));
      for (let i = 0; i < 20; i++) reads.push(watcher.getData(root));
      await Promise.all([write, ...reads]);
      await watcher.client.settle();
      const versions = watcher.client.received.slice(start, -1).map((one) => {
        if (one.kind === 'event') return 'event';
        return (one.body as { stat: { version: number } }).stat.version;
      });
      const told = versions.indexOf('event');
      expect(versions.slice(0, told)).toEqual(Array(told).fill(round - 1));
      expect(versions.slice(told + 1)).toEqual(Array(20 - told).fill(round));
    }
  });
});
