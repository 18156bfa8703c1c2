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
const { all, read, write, create, delete: remove, admin } = Perms;

async function scene(acl: readonly ACL[]): Promise<{ root: string; path: string; wire: Wire }> {
  const { root, wire } = await openScene();
  await wire.authenticate('ann:secret');
  const path = `${root}/n`;
  bodyOf(await wire.create(path, { acl }));
  return { root, path, wire };
}

/** The errors of a caller that tries every operation. */
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

  it('of a node that may not be read keeps its events from its watcher', async () => {
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
});
