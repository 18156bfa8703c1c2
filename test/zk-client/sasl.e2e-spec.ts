import { beforeAll, expect, it } from 'vitest';
import { User } from 'zk-client';
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
  async (username, password) => {
    const user = new User('sasl', username, password);
    const { connection } = await open({ port });
    await connection.logIn(user);
    await connection.create('/mine', Buffer.from('data'), 'ephemeral', { acl: user.onlyAcl() });
    expect((await connection.get('/mine')).data.toString()).toBe('data');
    const { connection: stranger } = await open({ port });
    await expect(stranger.get('/mine')).rejects.toMatchObject({ code: 'ZK_NO_AUTH' });
    await connection.close();
  },
);

it.each([
  ['a wrong password', 'ann', 'guessed'],
  ['an unknown user', 'bob', 'guessed'],
])('is refused with %s', async (_, username, password) => {
  const { connection, ends } = await open({ port });
  const user = new User('sasl', username, password);
  await expect(connection.logIn(user)).rejects.toMatchObject({ code: 'ZK_AUTH_FAILED' });
  expect(ends).toEqual(['auth-failed']);
});
