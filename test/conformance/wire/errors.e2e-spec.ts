import { describe, expect, it } from 'vitest';
import { type ACL, CreateMode, OpCode, Perms } from 'zk-protocol';
import { openScene, openWire, type Wire } from './support.js';

const NOBODY: ACL = { perms: Perms.all, id: { scheme: 'digest', id: 'nobody:hash' } };
const READERS: ACL = { perms: Perms.read, id: { scheme: 'world', id: 'anyone' } };

describe('a malformed path', () => {
  it.each([
    { path: '', create: 'badArguments', remove: 'badArguments' },
    { path: 'relative', create: 'badArguments', remove: 'badArguments' },
    { path: 'no/where', create: 'noNode', remove: 'noNode' },
    { path: '/', create: 'nodeExists', remove: 'badArguments' },
    { path: '//', create: 'badArguments', remove: 'noNode' },
    { path: '/zookeeper/', create: 'badArguments', remove: 'noNode' },
    { path: '/zookeeper//x', create: 'noNode', remove: 'noNode' },
    { path: '/.', create: 'badArguments', remove: 'noNode' },
    { path: '/..', create: 'badArguments', remove: 'noNode' },
    { path: '/nul\u0000', create: 'badArguments', remove: 'badArguments' },
    { path: '/c0\u001f', create: 'badArguments', remove: 'noNode' },
    { path: '/pair\u{1f600}', create: 'badArguments', remove: 'noNode' },
  ])('such as $path is $create to create and $remove to delete', async (expected) => {
    const wire = await openWire();
    expect((await wire.create(expected.path)).err).toBe(expected.create);
    expect((await wire.remove(expected.path)).err).toBe(expected.remove);
  });
});

describe("the server's own nodes", () => {
  it.each(['/', '/zookeeper', '/zookeeper/config', '/zookeeper/quota'])(
    '%s cannot be deleted',
    async (path) => {
      const wire = await openWire();
      expect((await wire.remove(path)).err).toBe('badArguments');
      expect((await wire.remove(path, 77)).err).toBe('badArguments');
    },
  );

  it('are where they are expected, and the configuration is only to be read', async () => {
    const wire = await openWire();
    expect(await wire.children('/zookeeper')).toEqual(['config', 'quota']);
    expect(await wire.stat('/zookeeper')).toMatchObject({ czxid: 0n, ctime: 0n, cversion: -2 });
    expect((await wire.setData('/zookeeper/config')).err).toBe('noAuth');
    expect((await wire.getAcl('/zookeeper/config')).body).toMatchObject({
      acl: [READERS],
      stat: { aversion: -1, version: 0 },
    });
  });
});

describe('of several errors', () => {
  async function scene(): Promise<{ wire: Wire; root: string }> {
    const { root, wire } = await openScene();
    await wire.create(`${root}/ephemeral`, { flags: CreateMode.ephemeral });
    await wire.create(`${root}/full`);
    await wire.create(`${root}/full/child`);
    await wire.create(`${root}/closed`, { acl: [READERS] });
    return { wire, root };
  }

  it('create has flags or path before the ACL, that before the parent', async () => {
    const { wire, root } = await scene();
    const gone = `${root}/none/child`;
    expect((await wire.create('relative', { acl: [] })).err).toBe('badArguments');
    expect((await wire.create(gone, { flags: 9, acl: [] })).err).toBe('badArguments');
    expect((await wire.create(gone, { acl: [] })).err).toBe('invalidACL');
    expect((await wire.create(`${gone}/..`)).err).toBe('noNode');
    expect((await wire.create(gone)).err).toBe('noNode');
  });

  it('create has the parent before its ACL, that before a bad name, that before the node', async () => {
    const { wire, root } = await scene();
    expect((await wire.create(`${root}/closed/..`)).err).toBe('noAuth');
    expect((await wire.create(`${root}/full/..`)).err).toBe('badArguments');
    expect((await wire.create(`${root}/full/child`)).err).toBe('nodeExists');
    expect((await wire.create(`${root}/ephemeral`)).err).toBe('nodeExists');
    expect((await wire.create(`${root}/ephemeral/child`)).err).toBe('noChildrenForEphemerals');
    expect((await wire.create(`${root}/ephemeral/..`)).err).toBe('badArguments');
  });

  it('delete has the parent, its ACL, the node, the version, the children', async () => {
    const { wire, root } = await scene();
    expect((await wire.remove(`${root}/none/child`, 7)).err).toBe('noNode');
    expect((await wire.remove(`${root}/closed/none`, 7)).err).toBe('noAuth');
    expect((await wire.remove(`${root}/none`, 7)).err).toBe('noNode');
    expect((await wire.remove(`${root}/full`, 7)).err).toBe('badVersion');
    expect((await wire.remove(`${root}/full`, 0)).err).toBe('notEmpty');
  });

  it('setData has the node, its ACL, the version', async () => {
    const { wire, root } = await scene();
    expect((await wire.setData(`${root}/none`, '', 7)).err).toBe('noNode');
    expect((await wire.setData(`${root}/closed`, '', 7)).err).toBe('noAuth');
    expect((await wire.setData(`${root}/full`, '', 7)).err).toBe('badVersion');
  });

  it('setACL has the new ACL, the node, its ACL, the version', async () => {
    const { wire, root } = await scene();
    const bad: ACL = { perms: 1, id: { scheme: 'none', id: '' } };
    expect((await wire.setAcl(`${root}/none`, [bad], 7)).err).toBe('invalidACL');
    expect((await wire.setAcl(`${root}/none`, [READERS], 7)).err).toBe('noNode');
    expect((await wire.setAcl(`${root}/closed`, [READERS], 7)).err).toBe('noAuth');
    expect((await wire.setAcl(`${root}/full`, [READERS], 7)).err).toBe('badVersion');
  });

  it('check has the node, its ACL, the version', async () => {
    const { wire, root } = await scene();
    await wire.create(`${root}/secret`, { acl: [NOBODY] });
    const check = async (path: string) =>
      (await wire.client.ask(OpCode.check, { path, version: 7 })).err;
    expect(await check(`${root}/none`)).toBe('noNode');
    expect(await check(`${root}/secret`)).toBe('noAuth');
    expect(await check(`${root}/full`)).toBe('badVersion');
  });
});
