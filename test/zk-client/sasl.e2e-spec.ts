import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ErrorCode, Perms } from 'zk-client';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { open } from './support.js';

const PASSWORD = 'open "sesame", please';

let port: number;

beforeAll(async () => {
  const folder = makeTempDir('sasl');
  const file = join(folder, 'jaas.conf');
  const escaped = PASSWORD.replaceAll('"', '\\"');
  writeFileSync(
    file,
    `Server { org.apache.zookeeper.server.auth.DigestLoginModule required user_ann="${escaped}"; };`,
  );
  const server = await ZooKeeperServer.start({
    extraConfig: {
      'authProvider.1': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
    },
    systemProperties: { 'java.security.auth.login.config': file },
  });
  ({ port } = server);
  return async () => {
    await server.stop();
    removeTempDir(folder);
  };
}, 60_000);

const acl = [{ perms: Perms.all, id: { scheme: 'sasl', id: 'ann' } }];

it('authenticates by SASL without sending the password', async () => {
  const { connection } = await open({ port });
  await connection.authenticate('ann', PASSWORD);
  await connection.create('/mine', Buffer.from('data'), { mode: 'ephemeral', acl });
  expect((await connection.getData('/mine')).data?.toString()).toBe('data');
  const { connection: stranger } = await open({ port });
  await expect(stranger.getData('/mine')).rejects.toMatchObject({ code: ErrorCode.noAuth });
});

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
