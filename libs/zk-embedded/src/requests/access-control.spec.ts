import { Perms } from 'zk-protocol';
import { expect, it } from 'vitest';
import { resolveAcl } from './access-control.js';

const digest = (id: string) => [{ perms: Perms.all, id: { scheme: 'digest', id } }];

it.each(['user:hash', 'user:hash::'])('accepts the digest id %s', (id) => {
  expect(resolveAcl(digest(id), [])).toEqual(digest(id));
});

it.each(['', ':', 'user', 'user:', 'a:b:c', 'a:b::c'])('refuses the digest id "%s"', (id) => {
  expect(() => resolveAcl(digest(id), [])).toThrow();
});

it('reads a long digest id in linear time', () => {
  const id = `${':'.repeat(200_000)}x`;
  const start = process.cpuUsage();
  expect(() => resolveAcl(digest(id), [])).toThrow();
  const { user, system } = process.cpuUsage(start);
  expect(user + system).toBeLessThan(1_000_000);
});
