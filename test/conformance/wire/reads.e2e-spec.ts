import { describe, expect, it } from 'vitest';
import { CreateMode, OpCode } from 'zk-protocol';
import { bodyOf, openScene, openWire, ownNode } from './support.js';

describe('getChildren', () => {
  it('gives names and the stat of the node', async () => {
    const { root, wire } = await openScene();
    for (const name of ['b', 'a', 'c']) await wire.create(`${root}/${name}`);
    await wire.create(`${root}/a/below`);
    const list = { path: root, watch: false };
    const short = bodyOf(await wire.client.ask(OpCode.getChildren, list));
    expect([...short.children].sort()).toEqual(['a', 'b', 'c']);
    const { children, stat } = bodyOf(await wire.getChildren(root));
    expect([...children].sort()).toEqual(['a', 'b', 'c']);
    expect(stat).toEqual(await wire.stat(root));
  });
});

describe('getAllChildrenNumber', () => {
  it('counts all that is below a node', async () => {
    const { root, wire } = await openScene();
    for (const path of ['a', 'a/b', 'a/b/c', 'ab', 'ab/c']) await wire.create(`${root}/${path}`);
    const count = async (path: string) =>
      (await wire.client.ask(OpCode.getAllChildrenNumber, { path })).body?.totalNumber;
    expect(await count(root)).toBe(5);
    expect(await count(`${root}/a`)).toBe(2);
    expect(await count(`${root}/a/b/c`)).toBe(0);
    expect(await count(`${root}/none`)).toBeUndefined();
    const before = await count('/');
    await wire.create(`${root}/more`);
    expect(await count('/')).toBe(before! + 1);
    expect(await count('/zookeeper')).toBe(2);
  });
});

describe('getEphemerals', () => {
  it('gives the nodes of this session whose paths begin so', async () => {
    const root = await ownNode();
    const [wire, other] = [await openWire(), await openWire()];
    const paths = [`${root}/a`, `${root}/ab`, `${root}/b`];
    for (const path of paths) await wire.create(path, { flags: CreateMode.ephemeral });
    await other.create(`${root}/other`, { flags: CreateMode.ephemeral });
    await wire.create(`${root}/not`);
    const ephemerals = async (prefixPath: string | null) => {
      const { body } = await wire.client.ask(OpCode.getEphemerals, { prefixPath });
      return [...body!.ephemerals].sort();
    };
    for (const prefix of [null, '', '  ', '/', ' / '])
      expect(await ephemerals(prefix)).toEqual(paths);
    expect(await ephemerals(`${root}/a`)).toEqual(paths.slice(0, 2));
    expect(await ephemerals(` ${root}/a`)).toEqual([]);
    expect(await ephemerals(`${root}/a `)).toEqual([]);
    expect(await ephemerals('/none')).toEqual([]);
    await wire.remove(`${root}/a`);
    expect(await ephemerals(root)).toEqual(paths.slice(1));
  });
});

describe('sync', () => {
  it('gives any path back', async () => {
    const { client } = await openWire();
    for (const path of ['/', '/none', 'no path', '']) {
      expect((await client.ask(OpCode.sync, { path })).body).toEqual({ path });
    }
  });
});

describe('ping', () => {
  it('is answered with its own xid whatever it came with', async () => {
    const { client } = await openWire();
    const pong = client.ask(OpCode.ping, undefined);
    expect(await pong).toMatchObject({ err: 'ok', xid: -2 });
    const answer = client.ask(OpCode.ping, undefined, -2);
    expect((await answer).zxid).toBeGreaterThan(0n);
  });
});
