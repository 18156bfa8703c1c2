import { describe, expect, it } from 'vitest';
import { CreateMode, encode, OpCode, requestCodec } from 'zk-protocol';
import { sharedServer } from '../../support/shared-server.js';
import { WireClient } from '../../support/wire-client.js';
import { attach, bodyOf, openScene, openWire, ownNode } from './support.js';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('a request', () => {
  it.each([0, 10, 99, 999, -1, -12])('of the unknown type %i ends the connection', async (type) => {
    const wire = await openWire();
    const reply = await wire.client.askRaw(type, Buffer.alloc(0));
    expect(reply).toMatchObject({ err: 'unimplemented', zxid: -1n });
    await wire.client.ended;
    expect((await attach(wire)).client.greeting?.timeOut).toBe(10_000);
  });

  it.each([
    { what: 'multi', isWrite: true, type: OpCode.multi, body: '' },
    {
      what: 'create of null',
      isWrite: true,
      type: OpCode.create,
      body: `${'ff'.repeat(12)}00000000`,
    },
    { what: 'a part of an unknown type', isWrite: true, type: OpCode.multi, body: '000003e700' },
    { what: 'exists of null', type: OpCode.exists, body: 'ffffffff00' },
    { what: 'reconfig', type: OpCode.reconfig, body: 'ffffffff' },
  ])(
    '$what that cannot be read is said, and the connection goes on',
    async ({ isWrite, ...bad }) => {
      const { root: path, wire } = await openScene();
      const { zxid } = await wire.exists(path);
      const reply = await wire.client.askRaw(bad.type, bytes(bad.body));
      expect(reply.err).toBe('marshallingError');
      if (isWrite) expect(reply.zxid).toBeGreaterThan(zxid);
      expect((await wire.exists(path)).err).toBe('ok');
    },
  );

  it('with bytes after its end is read to its end', async () => {
    const path = await ownNode();
    const { client } = await openWire();
    const body = encode(requestCodec(OpCode.exists), { path, watch: false });
    const reply = await client.askRaw(OpCode.exists, Buffer.concat([body, bytes('c0ffee')]));
    expect(reply.err).toBe('ok');
  });

  it('may come in any pieces', async () => {
    const path = await ownNode();
    const { client } = await openWire();
    const write = client.write.bind(client);
    const pieces: Buffer[] = [];
    client.write = (piece) => void pieces.push(piece);
    const replies = [
      client.ask(OpCode.exists, { path, watch: false }),
      client.ask(OpCode.getData, { path, watch: false }),
    ];
    client.write = write;
    for (const byte of Buffer.concat(pieces)) write(Buffer.from([byte]));
    expect((await Promise.all(replies)).map(({ err }) => err)).toEqual(['ok', 'ok']);
  });
});

describe('a frame', () => {
  it.each([
    { what: 'without a header', hex: '00000004deadbeef' },
    { what: 'of no bytes', hex: '00000000' },
    { what: 'of a negative length', hex: 'ffffffff' },
    { what: 'longer than jute.maxbuffer', hex: '00100000' },
  ])('$what ends the connection, and not the session', async ({ hex }) => {
    const wire = await openWire();
    wire.client.write(bytes(hex));
    await wire.client.ended;
    expect((await attach(wire)).client.greeting?.timeOut).toBe(10_000);
  });

  it('may be as long as jute.maxbuffer', async () => {
    const { root, wire } = await openScene();
    const empty = encode(requestCodec(OpCode.setData), {
      ...{ path: root, data: Buffer.alloc(0), version: -1 },
    });
    const data = Buffer.alloc(0xf_ffff - 8 - empty.length, 'x');
    const reply = await wire.client.ask(OpCode.setData, { path: root, data, version: -1 });
    expect(reply.err).toBe('ok');
    const read = bodyOf(await wire.getData(root));
    expect(read.data?.equals(data)).toBe(true);
    const more = Buffer.concat([data, Buffer.from('x')]);
    const longer = wire.client.ask(OpCode.setData, { path: root, data: more, version: -1 });
    await expect(longer).rejects.toThrow('closed');
  });

  it('of a client that has not shaken hands is a handshake', async () => {
    const client = await WireClient.open(sharedServer().port);
    client.write(bytes('0000000800000001fffffff5'));
    await client.ended;
    expect(client.received).toEqual([]);
  });
});

describe('the order of answers', () => {
  it('is kept within a session: 1,000 mixed requests under way', async () => {
    const { root, wire } = await openScene();
    const asked = Array.from({ length: 1_000 }, (_, i) => {
      switch (i % 5) {
        case 0:
          return wire.create(`${root}/n-`, { flags: CreateMode.persistentSequential });
        case 1:
          return wire.getChildren(root);
        case 2:
          return wire.setData(root, String(i));
        case 3:
          return wire.getData(root);
        default:
          return wire.remove(`${root}/none-${i}`);
      }
    });
    const replies = await Promise.all(asked);
    expect(wire.client.received).toEqual(replies);
    for (let round = 0; round < 200; round++) {
      const [made, list, written, read, removed] = replies.slice(5 * round, 5 * round + 5);
      const number = String(round).padStart(10, '0');
      expect(made?.body).toEqual({ path: `${root}/n-${number}` });
      expect(list?.body).toMatchObject({ stat: { numChildren: round + 1 } });
      expect(written?.body).toMatchObject({ stat: { version: round + 1 } });
      expect(read?.body).toMatchObject({ data: Buffer.from(String(5 * round + 2)) });
      expect(removed?.err).toBe('noNode');
    }
    const children = await wire.children(root);
    await Promise.all(children.map((name) => wire.remove(`${root}/${name}`)));
  });
});
