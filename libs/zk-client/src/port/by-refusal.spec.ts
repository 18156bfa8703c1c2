import { expect, it } from 'vitest';
import { proveBy } from './by-refusal.js';
import { ReturnCode, ZooKeeperError } from './client-errors.js';

const refuse = (code: number) => (path: string) =>
  Promise.reject(new ZooKeeperError(code, 'delete', path));

it('accepts only the absence of the node as proof: a cut-off server may itself refuse what an ACL forbids', async () => {
  await expect(proveBy(refuse(ReturnCode.noNode))).resolves.toBeUndefined();
  await expect(proveBy(refuse(ReturnCode.noAuth))).rejects.toMatchObject({ code: 'ZK_NO_AUTH' });
});

it('tries to delete what no other client can have created', async () => {
  const parents = new Set<string>();
  for (let times = 0; times < 2; times++) {
    await proveBy((path) => {
      parents.add(path.slice(0, path.lastIndexOf('/')));
      return refuse(ReturnCode.noNode)(path);
    });
  }
  expect(parents.size).toBe(2);
});
