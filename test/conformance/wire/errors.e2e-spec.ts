import { describe, expect, it } from 'vitest';
import { type ACL, Perms } from 'zk-protocol';
import { openWire } from './support.js';

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

  it('exist, and the configuration is read-only', async () => {
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
