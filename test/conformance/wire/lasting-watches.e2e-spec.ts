import { describe, expect, it } from 'vitest';
import { AddWatchMode, OpCode, WatcherType } from 'zk-protocol';
import { event } from '../../support/wire-client.js';
import { attach, openWire, ownNode, type Wire } from './support.js';

async function scene(): Promise<{ root: string; watcher: Wire; writer: Wire }> {
  const [root, watcher, writer] = [await ownNode(), await openWire(), await openWire()];
  return { root, watcher, writer };
}

const addWatch = ({ client }: Wire, path: string, mode: number) =>
  client.ask(OpCode.addWatch, { path, mode });
const removeWatches = async ({ client }: Wire, path: string, type: number) =>
  (await client.ask(OpCode.removeWatches, { path, type })).err;
const checkWatches = async ({ client }: Wire, path: string, type: number) =>
  (await client.ask(OpCode.checkWatches, { path, type })).err;

async function live(writer: Wire, path: string): Promise<void> {
  await writer.create(path);
  await writer.setData(path);
  await writer.create(`${path}/c`);
  await writer.setData(`${path}/c`);
  await writer.create(`${path}/c/d`);
  await writer.remove(`${path}/c/d`);
  await writer.remove(`${path}/c`);
  await writer.remove(path);
}

describe('a persistent watch', () => {
  it('tells all of a node and which children it has, for ever', async () => {
    const { root, watcher, writer } = await scene();
    const path = `${root}/n`;
    const added = await addWatch(watcher, path, AddWatchMode.persistent);
    expect(added).toMatchObject({ err: 'ok', body: { err: 0 } });
    const life = [
      event('nodeCreated', path),
      event('nodeDataChanged', path),
      event('nodeChildrenChanged', path),
      event('nodeChildrenChanged', path),
      event('nodeDeleted', path),
    ];
    await live(writer, path);
    await live(writer, path);
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([...life, ...life]);
  });

  it('tells with others once', async () => {
    const { root, watcher, writer } = await scene();
    await addWatch(watcher, root, AddWatchMode.persistentRecursive);
    await addWatch(watcher, `${root}/n`, AddWatchMode.persistent);
    await writer.create(`${root}/n`);
    await writer.remove(`${root}/n`);
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([
      event('nodeCreated', `${root}/n`),
      event('nodeDeleted', `${root}/n`),
    ]);
  });
});

describe('a recursive watch', () => {
  it('tells of everything below, and nothing twice', async () => {
    const { root, watcher, writer } = await scene();
    await addWatch(watcher, root, AddWatchMode.persistentRecursive);
    const path = `${root}/n`;
    await live(writer, path);
    await writer.setData(root);
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([
      event('nodeCreated', path),
      event('nodeDataChanged', path),
      event('nodeCreated', `${path}/c`),
      event('nodeDataChanged', `${path}/c`),
      event('nodeCreated', `${path}/c/d`),
      event('nodeDeleted', `${path}/c/d`),
      event('nodeDeleted', `${path}/c`),
      event('nodeDeleted', path),
      event('nodeDataChanged', root),
    ]);
  });
});

describe('removeWatches', () => {
  const { any } = WatcherType;

  it('removes lasting watches, wherever they are', async () => {
    const { root, watcher, writer } = await scene();
    for (const mode of [AddWatchMode.persistent, AddWatchMode.persistentRecursive]) {
      await addWatch(watcher, `${root}/n`, mode);
      expect(await checkWatches(watcher, `${root}/n`, any)).toBe('ok');
      expect(await removeWatches(watcher, `${root}/n`, any)).toBe('ok');
      expect(await checkWatches(watcher, `${root}/n`, any)).toBe('noWatcher');
      await live(writer, `${root}/n`);
    }
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([]);
  });
});

describe('setWatches', () => {
  it('tells what was missed, and watches the rest on', async () => {
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
