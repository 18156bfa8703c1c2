import { describe, expect, it } from 'vitest';
import { CreateMode, OpCode } from 'zk-protocol';
import {
  event,
  type Received,
  type WireClient,
  type WireEvent,
} from '../../support/wire-client.js';
import { openWire, ownNode, type Wire } from './support.js';

/** What has come, with an event as its type and a reply as its error. */
function summary(received: readonly Received[]): string[] {
  return received.map((one) => (one.kind === 'event' ? one.type : one.err));
}

/** What this connection hears of what `change` does. */
async function heard(client: WireClient, change: () => Promise<unknown>): Promise<WireEvent[]> {
  const before = client.events.length;
  await change();
  await client.settle();
  return client.events.slice(before);
}

async function scene(): Promise<{ root: string; watcher: Wire; writer: Wire; node: string }> {
  const root = await ownNode();
  const [watcher, writer] = [await openWire(), await openWire()];
  const node = `${root}/n`;
  await writer.create(node);
  return { root, watcher, writer, node };
}

describe('a watch of a node', () => {
  it.each(['exists', 'getData'] as const)(
    'by %s is told of a change or the end, once',
    async (read) => {
      const { watcher, writer, node } = await scene();
      await watcher[read](node, true);
      const changed = await heard(watcher.client, async () => {
        await writer.setData(node);
        await writer.setData(node);
      });
      expect(changed).toEqual([event('nodeDataChanged', node)]);
      await watcher[read](node, true);
      const ended = await heard(watcher.client, async () => {
        await writer.remove(node);
        await writer.create(node);
      });
      expect(ended).toEqual([event('nodeDeleted', node)]);
    },
  );

  it('that is not there is told when it is made', async () => {
    const { root, watcher, writer } = await scene();
    expect((await watcher.exists(`${root}/later`, true)).err).toBe('noNode');
    expect((await watcher.getData(`${root}/never`, true)).err).toBe('noNode');
    expect((await watcher.getChildren(`${root}/never`, true)).err).toBe('noNode');
    const events = await heard(watcher.client, async () => {
      await writer.create(`${root}/later`);
      await writer.setData(`${root}/later`);
      await writer.create(`${root}/never`);
      await writer.create(`${root}/never/c`);
    });
    expect(events).toEqual([event('nodeCreated', `${root}/later`)]);
  });
});

describe('a watch of children', () => {
  it.each(['getChildren', 'getChildren2'] as const)('by %s is told once', async (name) => {
    const { watcher, writer, node } = await scene();
    const watch = () => watcher.client.ask(OpCode[name], { path: node, watch: true });
    await watch();
    const made = () => writer.create(`${node}/c`);
    expect(await heard(watcher.client, made)).toEqual([event('nodeChildrenChanged', node)]);
    await watch();
    const gone = async () => {
      await writer.remove(`${node}/c`);
      await writer.create(`${node}/d`);
    };
    expect(await heard(watcher.client, gone)).toEqual([event('nodeChildrenChanged', node)]);
  });

  it('and one of the node give one event of its end, and both are used up', async () => {
    const { root, watcher, writer, node } = await scene();
    await watcher.getChildren(node, true);
    await watcher.getData(node, true);
    await watcher.getChildren(root, true);
    const end = await heard(watcher.client, () => writer.remove(node));
    expect(end).toEqual([event('nodeDeleted', node), event('nodeChildrenChanged', root)]);
    const again = await heard(watcher.client, async () => {
      await writer.create(node);
      await writer.create(`${node}/c`);
    });
    expect(again).toEqual([]);
  });
});

describe('an event', () => {
  it('comes before any answer that shows the change', async () => {
    const { watcher, writer, node } = await scene();
    for (let round = 1; round <= 50; round++) {
      await watcher.getData(node, true);
      const start = watcher.client.received.length;
      const reads: Promise<unknown>[] = [];
      const write = writer.setData(node, String(round));
      for (let i = 0; i < 20; i++) reads.push(watcher.getData(node));
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

  it('comes between the answers around it, of a connection that writes and watches', async () => {
    const { watcher, node } = await scene();
    await Promise.all([
      watcher.getData(node, true),
      watcher.setData(node),
      watcher.getData(node, true),
      watcher.remove(node),
      watcher.exists(node, true),
      watcher.create(node, { flags: CreateMode.ephemeral }),
    ]);
    expect(summary(watcher.client.received)).toEqual([
      ...['ok', 'nodeDataChanged', 'ok', 'ok', 'nodeDeleted', 'ok'],
      ...['noNode', 'nodeCreated', 'ok'],
    ]);
  });
});
