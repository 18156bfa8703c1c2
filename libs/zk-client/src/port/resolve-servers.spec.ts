import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { resolveServers } from './resolve-servers.js';

const unknown = { host: 'no-such-host.invalid', port: 2181 };

it('passes addresses on as they are, each once, and shuffled', async () => {
  const servers = Array.from({ length: 50 }, (_, index) => ({
    host: '127.0.0.1',
    port: index + 1,
  }));
  const resolved = await resolveServers(servers);
  expect(resolved).not.toEqual(servers);
  expect(resolved.toSorted((a, b) => a.port - b.port)).toEqual(servers);
});

it('gives nothing but IP literals for names', async () => {
  const resolved = await resolveServers([{ host: 'localhost', port: 2181 }]);
  expect(resolved.length).toBeGreaterThan(0);
  for (const { host, port } of resolved) expect([isIP(host) > 0, port]).toEqual([true, 2181]);
});

it('leaves a name out that does not resolve, as long as another server is there', async () => {
  const resolved = await resolveServers([unknown, { host: '127.0.0.1', port: 2181 }]);
  expect(resolved).toEqual([{ host: '127.0.0.1', port: 2181 }]);
});

it("throws the resolver's error when no name resolves", async () => {
  await expect(resolveServers([unknown])).rejects.toThrow('no-such-host.invalid');
});
