import { expect, it } from 'vitest';
import { CreateMode } from 'zk-protocol';
import { ownNode } from '../support/own-node.js';
import { openScene, openWire } from './wire.js';

it('answers 1,000 mixed requests of a session in their order', async () => {
  const { root, wire } = await openScene();
  const asked = Array.from({ length: 1_000 }, (_, i) => {
    switch (i % 5) {
      case 0:
        return wire.create(`${root}/n-`, { flags: CreateMode.persistentSequential });
      case 1:
        return wire.getChildren(root);
      case 2:
        return wire.setData(root, String(i));
      case 3:
        return wire.getData(root);
      default:
        return wire.remove(`${root}/none-${i}`);
    }
  });
  const replies = await Promise.all(asked);
  expect(wire.client.received).toEqual(replies);
  for (let round = 0; round < 200; round++) {
    const [made, list, written, read, removed] = replies.slice(5 * round, 5 * round + 5);
    const number = String(round).padStart(10, '0');
    expect(made?.body).toEqual({ path: `${root}/n-${number}` });
    expect(list?.body).toMatchObject({ stat: { numChildren: round + 1 } });
    expect(written?.body).toMatchObject({ stat: { version: round + 1 } });
    expect(read?.body).toMatchObject({ data: Buffer.from(String(5 * round + 2)) });
    expect(removed?.err).toBe('noNode');
  }
  const children = await wire.children(root);
  await Promise.all(children.map((name) => wire.remove(`${root}/${name}`)));
});

it('sends an event before any answer that shows the change', async () => {
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
