import { describe, expect, it } from 'vitest';
import {
  CreateMode,
  type MultiPart,
  type MultiResult,
  OpCode,
  type RequestBody,
} from 'zk-protocol';
import { event } from '../../support/wire-client.js';
import { bodyOf, creation, openScene, openWire, type Wire } from './support.js';

type Creation = RequestBody<typeof OpCode.create>;

const create = (path: string, more: Partial<Creation> = {}): MultiPart => ({
  type: OpCode.create,
  request: creation(path, more),
});
const remove = (path: string, version = -1): MultiPart => ({
  type: OpCode.delete,
  request: { path, version },
});
const setData = (path: string, version = -1): MultiPart => ({
  type: OpCode.setData,
  request: { path, data: Buffer.from('changed'), version },
});
const check = (path: string, version: number): MultiPart => ({
  type: OpCode.check,
  request: { path, version },
});

const multi = (wire: Wire, ...parts: MultiPart[]) => wire.client.ask(OpCode.multi, parts);

/** The errors of a multi that failed. */
function errors(results: readonly MultiResult[]): (number | undefined)[] {
  return results.map((result) => (result.type === OpCode.error ? result.err : undefined));
}

describe('multi', () => {
  it('executes all its parts in one transaction, each on the result of the previous ones', async () => {
    const { wire, root } = await openScene();
    const reply = await multi(
      wire,
      create(`${root}/p`),
      create(`${root}/p/c-`, { flags: CreateMode.ephemeralSequential }),
      create(`${root}/p/c-`, { flags: CreateMode.persistentSequential }),
      setData(`${root}/p`, 0),
      setData(`${root}/p`, 1),
      check(`${root}/p`, 2),
      remove(`${root}/p/c-0000000001`),
    );
    expect(bodyOf(reply)).toMatchObject([
      { type: OpCode.create, reply: { path: `${root}/p` } },
      { type: OpCode.create, reply: { path: `${root}/p/c-0000000000` } },
      { type: OpCode.create, reply: { path: `${root}/p/c-0000000001` } },
      { type: OpCode.setData, reply: { stat: { version: 1, cversion: 2, numChildren: 2 } } },
      { type: OpCode.setData, reply: { stat: { version: 2 } } },
      { type: OpCode.check, reply: undefined },
      { type: OpCode.delete, reply: undefined },
    ]);
    const { zxid } = reply;
    expect(await wire.stat(`${root}/p`)).toMatchObject({
      ...{ czxid: zxid, mzxid: zxid, pzxid: zxid, version: 2, cversion: 3, numChildren: 1 },
    });
    expect((await wire.stat(`${root}/p/c-0000000000`)).ephemeralOwner).toBe(wire.client.sessionId);
  });

  it('leaves no trace of a failure: no stat, no number, no owner, no event', async () => {
    const { wire, root } = await openScene();
    await wire.create(`${root}/p`);
    await wire.create(`${root}/p/c`, { flags: CreateMode.ephemeral });
    const watcher = await openWire();
    for (const path of [root, `${root}/p`, `${root}/p/c`]) {
      await watcher.getChildren(path, true);
      await watcher.getData(path, true);
    }
    await watcher.exists(`${root}/new`, true);
    const paths = [root, `${root}/p`, `${root}/p/c`];
    const seen = async () => {
      const shown = await Promise.all(paths.map((path) => wire.getData(path)));
      const lists = await Promise.all(paths.map((path) => wire.children(path)));
      const { body } = await wire.client.ask(OpCode.getEphemerals, { prefixPath: root });
      return [shown.map((reply) => reply.body), lists, body];
    };
    const before = await seen();
    const failed = await multi(
      wire,
      setData(root),
      create(`${root}/new`),
      create(`${root}/new/e`, { flags: CreateMode.ephemeral }),
      create(`${root}/p/s-`, { flags: CreateMode.persistentSequential }),
      setData(`${root}/p`),
      remove(`${root}/p/c`),
      create(`${root}/p/c`),
      check(`${root}/none`, 0),
    );
    expect(errors(bodyOf(failed))).toEqual([0, 0, 0, 0, 0, 0, 0, -101]);
    expect(await seen()).toEqual(before);
    await watcher.client.settle();
    expect(watcher.client.events).toEqual([]);
    const { body } = await wire.create(`${root}/p/s-`, { flags: 2 });
    expect(body).toEqual({ path: `${root}/p/s-0000000001` });
  });

  it('fires the events of its parts in order, before its answer', async () => {
    const { wire, root } = await openScene();
    await wire.create(`${root}/a`);
    await wire.getData(`${root}/a`, true);
    await wire.getChildren(root, true);
    await wire.exists(`${root}/b`, true);
    await multi(wire, create(`${root}/b`), setData(`${root}/a`), remove(`${root}/a`));
    const told = wire.client.received.slice(-4);
    expect(told).toMatchObject([
      event('nodeCreated', `${root}/b`),
      event('nodeChildrenChanged', root),
      event('nodeDataChanged', `${root}/a`),
      { kind: 'reply', err: 'ok' },
    ]);
  });
});
