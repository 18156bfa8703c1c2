import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { InspectClient } from './inspect-client.js';
import { sharedServer, uniqueRoot } from './shared-server.js';
import { waitFor } from './wait-for.js';

describe('InspectClient', () => {
  const root = uniqueRoot();
  let client: InspectClient;

  beforeAll(async () => {
    client = await InspectClient.connect(sharedServer().connectString);
  });

  afterEach(async () => {
    await client.deleteTree(root);
  });

  afterAll(async () => {
    await client.close();
  });

  it('shows a tree, parents before their children', async () => {
    await expect(client.tree(root)).resolves.toEqual([]);
    for (const path of ['', '/b', '/a', '/a/deep']) await client.create(`${root}${path}`);
    await expect(client.tree(root)).resolves.toEqual([`${root}/a`, `${root}/a/deep`, `${root}/b`]);
    await client.deleteTree(root);
    await expect(client.exists(root)).resolves.toBeUndefined();
  });

  it('tells whose node it is', async () => {
    await client.create(root);
    const path = await client.create(`${root}/mine-`, 'data', 'ephemeralSequential');
    expect(path).toBe(`${root}/mine-0000000000`);
    const { data, stat } = await client.get(path);
    expect(data.toString()).toBe('data');
    expect(stat).toMatchObject({ createdInThisSession: true, ephemeralOwner: client.sessionId });
  });

  it('makes containers, which the server removes once they have been emptied', async () => {
    await client.create(root, '', 'container');
    await client.create(`${root}/child`);
    await client.delete(`${root}/child`);
    await waitFor(async () => !(await client.exists(root)), { what: 'the container to vanish' });
  });

  it('gives errors by code', async () => {
    await expect(client.get(root)).rejects.toMatchObject({ name: 'InspectError', code: -101 });
    await client.create(root);
    await expect(client.create(root)).rejects.toMatchObject({ code: -110 });
  });

  it('authenticates', async () => {
    await using other = await InspectClient.connect(sharedServer().connectString);
    await expect(other.withAuth('digest', 'user:password')).resolves.toBe(other);
  });
});
