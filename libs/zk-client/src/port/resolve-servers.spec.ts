import { expect, it } from 'vitest';
import { resolveServers } from './resolve-servers.js';

const unknown = { host: 'no-such-host.invalid', port: 2181 };

it('leaves out a name that does not resolve if there is another server', async () => {
  const resolved = await resolveServers([unknown, { host: '127.0.0.1', port: 2181 }]);
  expect(resolved).toEqual([{ host: '127.0.0.1', port: 2181 }]);
});

it("throws the resolver's error when no name resolves", async () => {
  await expect(resolveServers([unknown])).rejects.toThrow('no-such-host.invalid');
});
