import { beforeAll, expect, it } from 'vitest';
import { ErrorCode, Perms } from 'zk-client';
import { startSaslServer } from '../support/sasl-server.js';
import { open } from './support.js';

/** ISO 8859-1 has the characters of some, and not of others, which makes a difference to RFC 2831. */
const PASSWORDS = { ann: 'open "sesame", please', zoë: 'sésame, öffne dich', kai: '5 € für Zoë' };

let port: number;

beforeAll(async () => {
  const server = await startSaslServer(PASSWORDS);
  ({ port } = server);
  return () => server[Symbol.asyncDispose]();
});

it.each(Object.entries(PASSWORDS))(
  'authenticates by SASL without sending the password, as %s',
  async (user, password) => {
    const acl = [{ perms: Perms.all, id: { scheme: 'sasl', id: user } }];
    const { connection } = await open({ port });
    await connection.authenticate(user, password);
    await connection.create('/mine', Buffer.from('data'), { mode: 'ephemeral', acl });
    expect((await connection.getData('/mine')).data?.toString()).toBe('data');
    const { connection: stranger } = await open({ port });
    await expect(stranger.getData('/mine')).rejects.toMatchObject({ code: ErrorCode.noAuth });
    await connection.close();
  },
);

it.each([
  ['a wrong password', 'ann', 'guessed'],
  ['an unknown user', 'bob', 'guessed'],
])('is refused with %s', async (_, username, password) => {
  const { connection, ends } = await open({ port });
  await expect(connection.authenticate(username, password)).rejects.toMatchObject({
    code: ErrorCode.authFailed,
  });
  expect(ends).toEqual(['auth-failed']);
});
