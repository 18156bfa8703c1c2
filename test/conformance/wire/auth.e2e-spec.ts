import { describe, expect, it } from 'vitest';
import { OpCode } from 'zk-protocol';
import { attach, bodyOf, openScene, openWire } from './support.js';

describe('auth', () => {
  it('is answered with the zxid 0, and adds an identity', async () => {
    const { client } = await openWire();
    const before = await client.ask(OpCode.whoAmI, undefined);
    expect(before.body).toEqual({ clientInfo: [{ authScheme: 'ip', user: '127.0.0.1' }] });
    for (const credentials of ['ann:secret', 'bob', 'ann:secret', 'ann:other']) {
      const auth = Buffer.from(credentials);
      const reply = await client.ask(OpCode.auth, { type: 0, scheme: 'digest', auth });
      expect(reply).toMatchObject({ err: 'ok', zxid: 0n, xid: -4 });
    }
    const { clientInfo } = bodyOf(await client.ask(OpCode.whoAmI, undefined));
    const known = clientInfo.map(({ authScheme, user }) => `${authScheme}:${user}`).sort();
    expect(known).toEqual(['digest:ann', 'digest:ann', 'digest:bob', 'ip:127.0.0.1']);
  });

  it('that fails is answered, and ends the connection but not the session', async () => {
    const { root, wire } = await openScene();
    await wire.create(`${root}/e`, { flags: 1 });
    const reply = await wire.authenticate('x', 'letter');
    expect(reply).toMatchObject({ err: 'authFailed', zxid: 0n });
    await wire.client.ended;
    expect((await (await openWire()).exists(`${root}/e`)).err).toBe('ok');
  });

  it('that cannot be decoded ends the connection', async () => {
    const { client } = await openWire();
    await expect(client.askRaw(OpCode.auth, Buffer.from([0]))).rejects.toThrow('closed');
  });

  it('is forgotten with the connection', async () => {
    const wire = await openWire();
    await wire.authenticate('ann:secret');
    const { client } = await attach(wire);
    const { clientInfo } = bodyOf(await client.ask(OpCode.whoAmI, undefined));
    expect(clientInfo).toEqual([{ authScheme: 'ip', user: '127.0.0.1' }]);
  });
});
