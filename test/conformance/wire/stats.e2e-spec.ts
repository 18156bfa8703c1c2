import { expect, it } from 'vitest';
import { type ACL, type Stat, Perms } from 'zk-protocol';
import { bodyOf, OPEN, openScene } from './support.js';

const READERS: ACL = { perms: Perms.read, id: { scheme: 'world', id: 'anyone' } };

/** What of a stat has changed, but for times. */
function changes(before: Stat, after: Stat): Partial<Stat> {
  const changed = Object.entries(after).filter(
    ([name, value]) => name !== 'mtime' && value !== before[name as keyof Stat],
  );
  return Object.fromEntries(changed);
}

it('writing, even the same again, changes mzxid, version, length and mtime of the node alone', async () => {
  const { root, wire } = await openScene();
  await wire.create(`${root}/n`);
  const [parent, node] = [await wire.stat(root), await wire.stat(`${root}/n`)];
  const written = await wire.setData(`${root}/n`, 'longer', 0);
  const { stat } = bodyOf(written);
  expect(changes(node, stat)).toEqual({ mzxid: written.zxid, version: 1, dataLength: 6 });
  expect(stat.mtime).toBeGreaterThanOrEqual(node.mtime);
  expect(await wire.stat(`${root}/n`)).toEqual(stat);
  expect(await wire.stat(root)).toEqual(parent);
  const again = bodyOf(await wire.setData(`${root}/n`, 'longer')).stat;
  expect(again.version).toBe(2);
});

it('a child that comes or goes changes cversion, pzxid and count of its parent alone', async () => {
  const { root, wire } = await openScene();
  await wire.create(`${root}/p`);
  const [grandparent, none] = [await wire.stat(root), await wire.stat(`${root}/p`)];
  const created = await wire.create(`${root}/p/c`);
  const one = await wire.stat(`${root}/p`);
  expect(changes(none, one)).toEqual({ cversion: 1, numChildren: 1, pzxid: created.zxid });
  const removed = await wire.remove(`${root}/p/c`);
  const gone = await wire.stat(`${root}/p`);
  expect(changes(one, gone)).toEqual({ cversion: 2, numChildren: 0, pzxid: removed.zxid });
  expect(gone.mtime).toBe(none.mtime);
  expect(await wire.stat(root)).toEqual(grandparent);
});

it('a child that changes changes nothing of its parent', async () => {
  const { root, wire } = await openScene();
  await wire.create(`${root}/c`);
  const parent = await wire.stat(root);
  await wire.setData(`${root}/c`);
  await wire.setAcl(`${root}/c`, OPEN);
  expect(await wire.stat(root)).toEqual(parent);
});

it('setting the ACL changes aversion alone', async () => {
  const { root, wire } = await openScene();
  await wire.create(`${root}/n`);
  const before = await wire.stat(`${root}/n`);
  const { stat } = bodyOf(await wire.setAcl(`${root}/n`, [...OPEN, READERS], 0));
  expect(changes(before, stat)).toEqual({ aversion: 1 });
  expect(stat.mtime).toBe(before.mtime);
  expect(await wire.stat(`${root}/n`)).toEqual(stat);
});

it('versions are counted apart, and any will do for -1', async () => {
  const { root, wire } = await openScene();
  expect((await wire.setData(root, '', 0)).err).toBe('ok');
  expect((await wire.setData(root, '', 0)).err).toBe('badVersion');
  expect((await wire.setAcl(root, OPEN, 0)).err).toBe('ok');
  expect((await wire.setAcl(root, OPEN, 0)).err).toBe('badVersion');
  await wire.create(`${root}/c`);
  await wire.remove(`${root}/c`);
  expect((await wire.setData(root, '', -1)).err).toBe('ok');
  expect(await wire.stat(root)).toMatchObject({ version: 2, aversion: 1, cversion: 2 });
  expect((await wire.setData(root, '', -2)).err).toBe('badVersion');
  expect((await wire.remove(root, 1)).err).toBe('badVersion');
  expect((await wire.remove(root, 2)).err).toBe('ok');
});

it('a refused request changes nothing, and uses up a zxid', async () => {
  const { root, wire } = await openScene();
  const before = await wire.exists(root);
  const refused = await wire.setData(root, 'x', 99);
  expect(refused.zxid).toBeGreaterThan(before.zxid);
  expect((await wire.exists(root)).body).toEqual(before.body);
});

it('a node made again has nothing of the one before', async () => {
  const { root, wire } = await openScene();
  await wire.create(`${root}/n`);
  await wire.setData(`${root}/n`);
  await wire.create(`${root}/n/c`);
  await wire.remove(`${root}/n/c`);
  await wire.remove(`${root}/n`);
  const created = await wire.create2(`${root}/n`);
  expect(bodyOf(created).stat).toMatchObject({
    ...{ czxid: created.zxid, pzxid: created.zxid },
    ...{ version: 0, cversion: 0, aversion: 0, numChildren: 0 },
  });
});
