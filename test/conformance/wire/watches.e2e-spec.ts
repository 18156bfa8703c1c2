import { describe, expect, it } from 'vitest';
import { AddWatchMode, CreateMode, OpCode, WatcherType } from 'zk-protocol';
import { fourLetterWord } from '../../support/four-letter-word.js';
import { sharedServer } from '../../support/shared-server.js';
import { event } from '../../support/wire-client.js';
import { attach, openWire, ownNode, type Wire } from './support.js';

async function scene(): Promise<{ root: string; watcher: Wire; writer: Wire }> {
  const [root, watcher, writer] = [await ownNode(), await openWire(), await openWire()];
  return { root, watcher, writer };
}

describe('an event', () => {
  it('comes before any answer that shows the change', async () => {
    const { root, watcher, writer } = await scene();
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

  it('comes between the answers around it, on a connection that writes and watches', async () => {
    const { root, watcher } = await scene();
    const node = `${root}/n`;
    await watcher.create(node);
    const start = watcher.client.received.length;
    await Promise.all([
      watcher.getData(node, true),
      watcher.setData(node),
      watcher.getData(node, true),
      watcher.remove(node),
      watcher.exists(node, true),
      watcher.create(node, { flags: CreateMode.ephemeral }),
    ]);
    // An event is noted as its type, an answer as its error.
    const received = watcher.client.received.slice(start);
    expect(received.map((one) => (one.kind === 'event' ? one.type : one.err))).toEqual([
      ...['ok', 'nodeDataChanged', 'ok', 'ok', 'nodeDeleted', 'ok'],
      ...['noNode', 'nodeCreated', 'ok'],
    ]);
  });
});

describe('a persistent watch', () => {
  it('reports all changes of a node and of its list of children, until removed', async () => {
    const { root, watcher, writer } = await scene();
    const path = `${root}/n`;
    await watcher.client.ask(OpCode.addWatch, { path, mode: AddWatchMode.persistent });
    for (let times = 0; times < 2; times++) {
      for (const made of [path, `${path}/c`, `${path}/c/d`]) {
        await writer.create(made);
        await writer.setData(made);
      }
      for (const gone of [`${path}/c/d`, `${path}/c`, path]) await writer.remove(gone);
    }
    await watcher.client.settle();
    const life = [
      event('nodeCreated', path),
      event('nodeDataChanged', path),
      event('nodeChildrenChanged', path),
      event('nodeChildrenChanged', path),
      event('nodeDeleted', path),
    ];
    expect(watcher.client.events).toEqual([...life, ...life]);
  });
});

/** How a watch is set on a node: a read sets one for one event. */
const SETTING = {
  children: (wire: Wire, path: string) => wire.getChildren(path, true),
  data: (wire: Wire, path: string) => wire.getData(path, true),
  persistent: (wire: Wire, path: string) =>
    wire.client.ask(OpCode.addWatch, { path, mode: AddWatchMode.persistent }),
  recursive: (wire: Wire, path: string) =>
    wire.client.ask(OpCode.addWatch, { path, mode: AddWatchMode.persistentRecursive }),
};

describe('watches of one client on one node', () => {
  const [child, data] = ['nodeChildrenChanged', 'nodeDataChanged'];
  const [made, twice] = ['nodeCreated', [data, data]];
  /** Two children come, and the data change twice. */
  const CASES: readonly {
    readonly set: readonly (keyof typeof SETTING)[];
    /** In 3.8 the latest takes the place of those before it (ZOOKEEPER-4466). */
    readonly told: readonly string[];
    readonly toldSince39?: readonly string[];
  }[] = [
    { set: ['children', 'data'], told: [child, data] },
    { set: ['children', 'persistent'], told: [child, child, ...twice] },
    {
      set: ['persistent', 'children'],
      told: [child, ...twice],
      toldSince39: [child, child, ...twice],
    },
    {
      set: ['persistent', 'data'],
      told: [child, child, data],
      toldSince39: [child, child, ...twice],
    },
    { set: ['data', 'recursive'], told: [made, made, ...twice] },
    {
      set: ['children', 'recursive'],
      told: [made, made, ...twice],
      toldSince39: [made, child, made, ...twice],
    },
    { set: ['recursive', 'children'], told: [made, child, made, ...twice] },
    { set: ['recursive', 'data'], told: [data], toldSince39: [made, made, ...twice] },
    {
      set: ['recursive', 'persistent'],
      told: [child, child, ...twice],
      toldSince39: [made, child, made, child, ...twice],
    },
    {
      set: ['persistent', 'recursive'],
      told: [made, made, ...twice],
      toldSince39: [made, child, made, child, ...twice],
    },
  ];

  it.each(CASES)('tell what the latest of each kind covers: $set', async (row) => {
    const { root, watcher, writer } = await scene();
    const path = `${root}/n`;
    await writer.create(path);
    for (const kind of row.set) await SETTING[kind](watcher, path);
    for (const name of ['a', 'b']) await writer.create(`${path}/${name}`);
    for (let times = 0; times < 2; times++) await writer.setData(path);
    await watcher.client.settle();
    const { told, toldSince39 = told } = row;
    const expected = (await isSince39()) ? toldSince39 : told;
    expect(watcher.client.events.map(({ type }) => type)).toEqual(expected);
  });

  it('are all removed together', async () => {
    const { root, watcher, writer } = await scene();
    for (const kind of ['recursive', 'children'] as const) await SETTING[kind](watcher, root);
    const removal = { path: root, type: WatcherType.any };
    expect(await watcher.client.ask(OpCode.removeWatches, removal)).toMatchObject({ err: 'ok' });
    await writer.create(`${root}/a`);
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([]);
  });
});

async function isSince39(): Promise<boolean> {
  const [, minor] =
    /version: 3\.(\d+)/.exec(await fourLetterWord(sharedServer().port, 'srvr')) ?? [];
  return Number(minor) >= 9;
}

describe('removeWatches', () => {
  it('removes persistent watches, which checkWatches finds until then', async () => {
    const { root, watcher, writer } = await scene();
    const watch = { path: root, type: WatcherType.any };
    for (const mode of [AddWatchMode.persistent, AddWatchMode.persistentRecursive]) {
      await watcher.client.ask(OpCode.addWatch, { path: root, mode });
      const replies = [
        await watcher.client.ask(OpCode.checkWatches, watch),
        await watcher.client.ask(OpCode.removeWatches, watch),
        await watcher.client.ask(OpCode.checkWatches, watch),
      ];
      expect(replies.map(({ err }) => err)).toEqual(['ok', 'ok', 'noWatcher']);
      await writer.setData(root);
    }
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([]);
  });
});

describe('setWatches', () => {
  it('reports missed changes, and sets the remaining watches', async () => {
    const { root, watcher, writer } = await scene();
    const names = ['same', 'changed', 'gone', 'parent', 'barren', 'childless'];
    for (const name of names) await writer.create(`${root}/${name}`);
    const { zxid: relativeZxid } = await watcher.exists(root);
    await writer.setData(`${root}/changed`);
    await writer.remove(`${root}/gone`);
    await writer.create(`${root}/parent/c`);
    await writer.remove(`${root}/childless`);
    await writer.create(`${root}/made`);
    const again = await attach(watcher);
    const at = (...own: string[]) => own.map((name) => `${root}/${name}`);
    const reply = await again.client.ask(OpCode.setWatches, {
      relativeZxid,
      dataWatches: at('same', 'changed', 'gone'),
      existWatches: at('made', 'absent'),
      childWatches: at('parent', 'barren', 'childless'),
    });
    expect(reply).toMatchObject({ err: 'ok', body: undefined });
    expect(again.client.received.at(-1)).toBe(reply);
    expect(again.client.events).toEqual([
      event('nodeDataChanged', `${root}/changed`),
      event('nodeDeleted', `${root}/gone`),
      event('nodeCreated', `${root}/made`),
      event('nodeChildrenChanged', `${root}/parent`),
      event('nodeDeleted', `${root}/childless`),
    ]);
    const start = again.client.events.length;
    for (const name of ['same', 'changed', 'made']) await writer.setData(`${root}/${name}`);
    for (const name of ['absent', 'barren/c', 'parent/d', 'gone']) {
      await writer.create(`${root}/${name}`);
    }
    await again.client.settle();
    expect(again.client.events.slice(start)).toEqual([
      event('nodeDataChanged', `${root}/same`),
      event('nodeCreated', `${root}/absent`),
      event('nodeChildrenChanged', `${root}/barren`),
    ]);
  });
});
