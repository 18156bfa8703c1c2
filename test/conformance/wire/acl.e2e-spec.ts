import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ACL, AddWatchMode, OpCode, Perms } from 'zk-protocol';
import { bodyOf, OPEN, openScene, openWire, ownNode, type Wire } from './support.js';

const hashed = (credentials: string): string =>
  `${credentials.split(':')[0] ?? ''}:${createHash('sha1').update(credentials).digest('base64')}`;

const entry = (perms: number, scheme: string, id: string | null): ACL => ({
  perms,
  id: { scheme, id },
});
const ANN = hashed('ann:secret');
const BOB = hashed('bob:hidden');
const { all, read, write, create, delete: remove, admin } = Perms;

async function scene(acl: readonly ACL[]): Promise<{ root: string; path: string; wire: Wire }> {
  const { root, wire } = await openScene();
  await wire.authenticate('ann:secret');
  const path = `${root}/n`;
  bodyOf(await wire.create(path, { acl }));
  return { root, path, wire };
}

/** The errors that somebody has who tries everything. */
async function errors(wire: Wire, path: string): Promise<Record<string, string>> {
  const read = { path, watch: false };
  const replies = {
    getData: await wire.getData(path),
    getChildren: await wire.client.ask(OpCode.getChildren, read),
    getChildren2: await wire.getChildren(path),
    count: await wire.client.ask(OpCode.getAllChildrenNumber, { path }),
    getACL: await wire.getAcl(path),
    exists: await wire.exists(path),
    check: await wire.client.ask(OpCode.check, { path, version: 99 }),
    setData: await wire.setData(path, 'x', 99),
    create: await wire.create(`${path}/c`, { flags: 2, acl: OPEN }),
    delete: await wire.remove(`${path}/none`),
    setACL: await wire.setAcl(path, OPEN, 99),
  };
  return Object.fromEntries(Object.entries(replies).map(([name, { err }]) => [name, err]));
}

const FREE = {
  ...{ getData: 'ok', getChildren: 'ok', getChildren2: 'ok', count: 'ok', getACL: 'ok' },
  ...{ exists: 'ok', check: 'badVersion', setData: 'badVersion', create: 'ok' },
  ...{ delete: 'noNode', setACL: 'badVersion' },
};
const no = (...names: (keyof typeof FREE)[]) =>
  Object.fromEntries(names.map((name) => [name, 'noAuth']));
const READING = no('getData', 'getChildren', 'getChildren2', 'count', 'check');

describe('an ACL', () => {
  it.each([
    { allowed: 'all', perms: all, errors: FREE },
    {
      ...{ allowed: 'read', perms: read },
      errors: { ...FREE, ...no('setData', 'create', 'delete', 'setACL') },
    },
    {
      ...{ allowed: 'write', perms: write },
      errors: { ...FREE, ...READING, ...no('getACL', 'create', 'delete', 'setACL') },
    },
    {
      ...{ allowed: 'create', perms: create },
      errors: { ...FREE, ...READING, ...no('getACL', 'setData', 'delete', 'setACL') },
    },
    {
      ...{ allowed: 'delete', perms: remove },
      errors: { ...FREE, ...READING, ...no('getACL', 'setData', 'create', 'setACL') },
    },
    {
      ...{ allowed: 'admin', perms: admin },
      errors: { ...FREE, ...READING, ...no('setData', 'create', 'delete') },
    },
    {
      ...{ allowed: 'nothing', perms: 0 },
      errors: {
        ...FREE,
        ...READING,
        ...no('getACL', 'setData', 'create', 'delete', 'setACL'),
      },
    },
  ])('that allows $allowed allows just that', async ({ perms, errors: expected }) => {
    const acl = [entry(perms, 'world', 'anyone'), entry(all, 'digest', ANN)];
    const { path, wire } = await scene(acl);
    expect(await errors(await openWire(), path)).toEqual(expected);
    expect(await errors(wire, path)).toEqual(FREE);
  });

  it('allows what any of its entries allows to any of the identities', async () => {
    const { path } = await scene([
      entry(read, 'digest', ANN),
      entry(write, 'digest', BOB),
      entry(admin, 'ip', '10.0.0.1'),
    ]);
    const bob = await openWire();
    await bob.authenticate('bob:hidden');
    expect((await bob.setData(path)).err).toBe('ok');
    expect((await bob.getData(path)).err).toBe('noAuth');
    await bob.authenticate('ann:secret');
    expect((await bob.getData(path)).err).toBe('ok');
    expect((await bob.setAcl(path, OPEN)).err).toBe('noAuth');
  });

  it('knows who somebody is by the password', async () => {
    const { path } = await scene([entry(all, 'digest', ANN)]);
    const stranger = await openWire();
    await stranger.authenticate('ann:guessed');
    expect((await stranger.getData(path)).err).toBe('noAuth');
  });

  it('of a node is no matter of its children, and its deletion one of its parent', async () => {
    const { path, wire } = await scene([entry(all, 'digest', ANN)]);
    await wire.create(`${path}/c`);
    const stranger = await openWire();
    expect((await stranger.getData(`${path}/c`)).err).toBe('ok');
    expect((await stranger.remove(`${path}/c`)).err).toBe('noAuth');
    expect((await stranger.remove(path)).err).toBe('notEmpty');
  });

  it('of a node that may not be read sets no watch', async () => {
    const { path, wire } = await scene([entry(all, 'digest', ANN)]);
    const stranger = await openWire();
    await stranger.getData(path, true);
    await stranger.getChildren(path, true);
    await wire.setData(path);
    await wire.create(`${path}/c`);
    await stranger.client.settle();
    expect(stranger.client.events).toEqual([]);
  });

  it('of a node that may not be read keeps its events from who watches it', async () => {
    const root = await ownNode();
    const [wire, stranger] = [await openWire(), await openWire()];
    await wire.authenticate('ann:secret');
    const path = `${root}/n`;
    await stranger.getChildren(root, true);
    const mode = AddWatchMode.persistentRecursive;
    await stranger.client.ask(OpCode.addWatch, { path: `${root}/n`, mode });
    await wire.create(path, { acl: [entry(all, 'digest', ANN)] });
    await wire.setData(path);
    await wire.create(`${path}/c`);
    await wire.setAcl(path, OPEN);
    await wire.setData(path);
    await stranger.client.settle();
    expect(stranger.client.events.map(({ type, path: at }) => `${type} ${at}`)).toEqual([
      `nodeChildrenChanged ${root}`,
      `nodeCreated ${path}/c`,
      `nodeDataChanged ${path}`,
    ]);
  });

  it.each([
    { id: '127.0.0.1', err: 'ok' },
    { id: '127.0.0.1/32', err: 'ok' },
    { id: '127.9.9.9/8', err: 'ok' },
    { id: '0.0.0.0/0', err: 'ok' },
    { id: '127.00.0.01', err: 'ok' },
    { id: '127.0.0.2', err: 'noAuth' },
    { id: '127.0.0.2/31', err: 'noAuth' },
    { id: '127.0.0.2/30', err: 'ok' },
    { id: '128.0.0.0/1', err: 'noAuth' },
  ])('of the addresses $id is $err for this one', async ({ id, err }) => {
    const { path } = await scene([entry(all, 'ip', id)]);
    expect((await (await openWire()).getData(path)).err).toBe(err);
  });
});

describe('an ACL that cannot be', () => {
  it.each([
    { what: 'none', acl: [] },
    { what: 'an unknown scheme', acl: [entry(all, 'letter', 'x')] },
    { what: 'no scheme', acl: [{ perms: all, id: { scheme: null, id: 'x' } }] },
    { what: 'somebody of the world', acl: [entry(all, 'world', 'ann')] },
    { what: 'a user without a hash', acl: [entry(all, 'digest', 'ann')] },
    { what: 'a user with an empty hash', acl: [entry(all, 'digest', 'ann:')] },
    { what: 'a user with two hashes', acl: [entry(all, 'digest', 'ann:x:y')] },
    { what: 'a digest of nothing', acl: [entry(all, 'digest', '')] },
    { what: 'an address without a part', acl: [entry(all, 'ip', '127.0.1')] },
    { what: 'an address beyond 255', acl: [entry(all, 'ip', '127.0.0.256')] },
    { what: 'an address of IPv6', acl: [entry(all, 'ip', '::1')] },
    { what: 'too large a range', acl: [entry(all, 'ip', '127.0.0.0/33')] },
    { what: 'a range without a size', acl: [entry(all, 'ip', '127.0.0.0/')] },
    { what: 'a good entry and a bad one', acl: [...OPEN, entry(all, 'x', 'y')] },
    { what: 'somebody authenticated, and nobody is', acl: [entry(all, 'auth', '')] },
    { what: 'somebody authenticated, and others', acl: [...OPEN, entry(all, 'auth', '')] },
  ])('such as $what is refused', async ({ acl }) => {
    const { root, wire } = await openScene();
    expect((await wire.create(`${root}/n`, { acl })).err).toBe('invalidACL');
    expect((await wire.setAcl(root, acl)).err).toBe('invalidACL');
  });

  it.each(['world', 'digest', 'ip'])('such as null of %s cannot be read', async (scheme) => {
    const { root, wire } = await openScene();
    const acl = [entry(all, scheme, null)];
    expect((await wire.create(`${root}/n`, { acl })).err).toBe('marshallingError');
  });

  it.each([':hash', 'ann:hash::', 'x:y'])('is not one such as the digest %s', async (id) => {
    const { root, wire } = await openScene();
    const acl = [entry(all, 'digest', id), ...OPEN];
    expect((await wire.create(`${root}/n`, { acl })).err).toBe('ok');
  });
});

describe('the scheme auth', () => {
  it('stands for all that the creator has proved to be, and not for an address', async () => {
    const { root, wire } = await openScene();
    await wire.authenticate('ann:secret');
    await wire.authenticate('bob:hidden');
    await wire.authenticate('', 'ip');
    const acl = [entry(read | admin, 'auth', 'whatever'), entry(write, 'world', 'anyone')];
    await wire.create(`${root}/n`, { acl });
    const { acl: kept } = bodyOf(await wire.getAcl(`${root}/n`));
    expect(kept).toHaveLength(3);
    expect(kept).toEqual(
      expect.arrayContaining([
        entry(read | admin, 'digest', ANN),
        entry(read | admin, 'digest', BOB),
        entry(write, 'world', 'anyone'),
      ]),
    );
  });
});

describe('getACL', () => {
  it('gives the ACL back in its order, and nothing twice', async () => {
    const acl = [
      entry(read, 'world', 'anyone'),
      entry(all, 'digest', 'x:y'),
      entry(read, 'world', 'anyone'),
      entry(write, 'world', 'anyone'),
      entry(all, 'digest', 'x:y'),
      entry(all, 'digest', ANN),
    ];
    const { path, wire } = await scene(acl);
    const body = bodyOf(await wire.getAcl(path));
    expect(body.acl).toEqual([acl[0], acl[1], acl[3], acl[5]]);
    expect(body.stat).toEqual(await wire.stat(path));
  });

  it('masks hashes for who may not administer', async () => {
    const acl = [
      entry(all, 'digest', ANN),
      entry(read, 'ip', '127.0.0.1'),
      entry(read, 'digest', 'a:b'),
    ];
    const { path, wire } = await scene(acl);
    const shown = bodyOf(await (await openWire()).getAcl(path)).acl;
    expect(shown).toEqual([entry(all, 'digest', 'ann:x'), acl[1], entry(read, 'digest', 'a:x')]);
    expect(bodyOf(await wire.getAcl(path)).acl).toEqual(acl);
  });

  it('gives what setACL has set', async () => {
    const { path, wire } = await scene(OPEN);
    await wire.setAcl(path, [entry(read, 'world', 'anyone')]);
    expect(bodyOf(await wire.getAcl(path)).acl).toEqual([entry(read, 'world', 'anyone')]);
    expect((await wire.setData(path)).err).toBe('noAuth');
  });
});
