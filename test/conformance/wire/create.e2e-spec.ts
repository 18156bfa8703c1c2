import { describe, expect, it } from 'vitest';
import { CreateMode, OpCode } from 'zk-protocol';
import { waitFor } from '../../support/wait-for.js';
import { event } from '../../support/wire-client.js';
import { bodyOf, creation, OPEN, openScene } from './support.js';

const NEW = { version: 0, cversion: 0, aversion: 0, numChildren: 0, dataLength: 4 };

describe('create', () => {
  it.each([
    { mode: 'persistent', path: /\/n$/, isOwned: false },
    { mode: 'ephemeral', path: /\/n$/, isOwned: true },
    { mode: 'persistentSequential', path: /\/n0000000000$/, isOwned: false },
    { mode: 'ephemeralSequential', path: /\/n0000000000$/, isOwned: true },
  ] as const)('makes a node that is $mode', async ({ mode, path, isOwned }) => {
    const { root, wire } = await openScene();
    const created = await wire.create(`${root}/n`, { flags: CreateMode[mode] });
    const { path: made } = bodyOf(created);
    expect(made).toMatch(path);
    expect(await wire.stat(made)).toEqual({
      ...NEW,
      czxid: created.zxid,
      mzxid: created.zxid,
      pzxid: created.zxid,
      ctime: expect.any(BigInt) as bigint,
      mtime: expect.any(BigInt) as bigint,
      ephemeralOwner: isOwned ? wire.client.sessionId : 0n,
    });
  });

  it('makes an ordinary node for the flag of a container', async () => {
    const { root, wire } = await openScene();
    await wire.create(`${root}/n`, { flags: CreateMode.container });
    expect((await wire.stat(`${root}/n`)).ephemeralOwner).toBe(0n);
  });

  it.each([-1, 5, 6, 7, 99])('refuses the flags %i', async (flags) => {
    const { root, wire } = await openScene();
    expect((await wire.create(`${root}/n`, { flags })).err).toBe('badArguments');
    expect((await wire.create2(`${root}/n`, { flags })).err).toBe('badArguments');
    const container = await wire.client.ask(
      OpCode.createContainer,
      creation(`${root}/n`, { flags }),
    );
    expect(container.err).toBe('badArguments');
    expect(await wire.children(root)).toEqual([]);
  });

  it('answers create2 with the stat', async () => {
    const { root, wire } = await openScene();
    const { path, stat } = bodyOf(await wire.create2(`${root}/n-`, { flags: 2 }));
    expect(path).toBe(`${root}/n-0000000000`);
    expect(stat).toEqual(await wire.stat(path));
  });

  it('keeps null and empty data apart', async () => {
    const { root, wire } = await openScene();
    await wire.create(`${root}/null`, { data: null });
    await wire.create(`${root}/empty`, { data: Buffer.alloc(0) });
    expect(bodyOf(await wire.getData(`${root}/null`)).data).toBeNull();
    expect(bodyOf(await wire.getData(`${root}/empty`)).data).toEqual(Buffer.alloc(0));
  });
});

describe('createContainer', () => {
  it('makes a container whatever the flags', async () => {
    const { root, wire } = await openScene();
    for (const flags of [CreateMode.persistent, CreateMode.ephemeral, CreateMode.container]) {
      const path = `${root}/c${flags}`;
      const { body } = await wire.client.ask(OpCode.createContainer, creation(path, { flags }));
      expect(body).toMatchObject({ path, stat: { ...NEW, ephemeralOwner: 0n } });
      await wire.create(`${path}/child`);
      await wire.remove(`${path}/child`);
    }
    const areGone = async () => (await wire.children(root)).length === 0;
    await waitFor(areGone, { what: 'the containers to go' });
  });

  it('makes one that goes when its last child has gone, and not before', async () => {
    const { root, wire } = await openScene();
    await wire.createContainer(`${root}/never-used`);
    await wire.createContainer(`${root}/used`);
    await wire.create(`${root}/used/child`);
    await wire.createContainer(`${root}/in-use`);
    await wire.create(`${root}/in-use/child`);
    await wire.exists(`${root}/used`, true);
    await wire.remove(`${root}/used/child`);
    await waitFor(() => wire.client.events.length > 0, { what: 'the container to go' });
    expect(wire.client.events).toEqual([event('nodeDeleted', `${root}/used`)]);
    expect(await wire.children(root)).toEqual(['in-use', 'never-used']);
  });

  it('makes one that can be deleted like any other node', async () => {
    const { root, wire } = await openScene();
    await wire.createContainer(`${root}/c`);
    expect((await wire.remove(`${root}/c`)).err).toBe('ok');
  });
});

describe('createTTL', () => {
  const ttl = (path: string, millis: bigint, flags: number = CreateMode.persistentWithTTL) => ({
    ...creation(path, { flags }),
    ttl: millis,
  });

  it('makes a node that does not show its time, and looks as if it had no owner', async () => {
    const { root, wire } = await openScene();
    const { body } = await wire.createTTL(`${root}/t`, 60_000n);
    const stat = { ...NEW, ephemeralOwner: 0n };
    expect(body).toMatchObject({ path: `${root}/t`, stat });
    const numbered = await wire.client.ask(
      OpCode.createTTL,
      ttl(`${root}/t`, 60_000n, CreateMode.persistentSequentialWithTTL),
    );
    expect(numbered.body).toMatchObject({ path: `${root}/t0000000001`, stat });
  });

  it.each([0n, -1n, 2n ** 40n])('refuses a time of %d ms', async (millis) => {
    const { root, wire } = await openScene();
    expect((await wire.createTTL(`${root}/t`, millis)).err).toBe('badArguments');
  });

  it.each([0, 1, 4, 9])('refuses a time for the flags %i', async (flags) => {
    const { root, wire } = await openScene();
    const { err } = await wire.client.ask(OpCode.createTTL, ttl(`${root}/t`, 5n, flags));
    expect(err).toBe('badArguments');
  });

  it('makes a node that goes when its time is over and it has no children', async () => {
    const { root, wire } = await openScene();
    await wire.createTTL(`${root}/short`, 1n);
    await wire.createTTL(`${root}/long`, 2n ** 40n - 1n);
    await wire.createTTL(`${root}/parent`, 1n);
    await wire.create(`${root}/parent/child`);
    const gone = async (path: string) => (await wire.exists(path)).err === 'noNode';
    await waitFor(() => gone(`${root}/short`), { what: 'the node to go' });
    expect(await wire.children(root)).toEqual(['long', 'parent']);
    await wire.remove(`${root}/parent/child`);
    await waitFor(() => gone(`${root}/parent`), { what: 'the parent to go' });
  });

  it('makes a node that has its whole time again when its data are set', async () => {
    const { root, wire } = await openScene();
    await wire.createTTL(`${root}/renewed`, 2_000n);
    await wire.createTTL(`${root}/left`, 2_000n);
    const leftIsGone = async () => {
      await wire.setData(`${root}/renewed`);
      return (await wire.exists(`${root}/left`)).err === 'noNode';
    };
    await waitFor(leftIsGone, { what: 'the other node to go' });
    expect(await wire.children(root)).toEqual(['renewed']);
  });
});

describe('sequence numbers', () => {
  it('count all that was ever created below a node, whatever has been deleted', async () => {
    const { root, wire } = await openScene();
    const numbered = async () =>
      bodyOf(await wire.create(`${root}/n-`, { flags: 2 })).path.slice(root.length);
    expect(await numbered()).toBe('/n-0000000000');
    await wire.create(`${root}/plain`);
    expect(await numbered()).toBe('/n-0000000002');
    await wire.remove(`${root}/n-0000000002`);
    await wire.remove(`${root}/plain`);
    expect(await numbered()).toBe('/n-0000000003');
    await wire.create(`${root}/plain`, { flags: CreateMode.ephemeral });
    await wire.setData(root);
    expect(await numbered()).toBe('/n-0000000005');
  });

  it('are not used up by what was refused', async () => {
    const { root, wire } = await openScene();
    await wire.create(`${root}/n-`, { flags: 2, acl: [] });
    await wire.create(root);
    expect(bodyOf(await wire.create(`${root}/`, { flags: 2 })).path).toBe(`${root}/0000000000`);
  });

  it('begin again in a node that is made again', async () => {
    const { root, wire } = await openScene();
    for (let times = 0; times < 2; times++) {
      await wire.create(`${root}/n`);
      const { body } = await wire.create(`${root}/n/`, { flags: 2, acl: OPEN });
      expect(body).toEqual({ path: `${root}/n/0000000000` });
      await wire.remove(`${root}/n/0000000000`);
      await wire.remove(`${root}/n`);
    }
  });
});
