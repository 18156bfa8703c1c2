import { describe, expect, it } from 'vitest';
import { CreateMode } from 'zk-protocol';
import { waitFor } from '../../support/wait-for.js';
import { event } from '../../support/wire-client.js';
import { bodyOf, openScene } from './support.js';

describe('createContainer', () => {
  it('makes a node that is removed after its last child, and not before', async () => {
    const { root, wire } = await openScene();
    await wire.createContainer(`${root}/never-used`);
    await wire.createContainer(`${root}/used`);
    await wire.create(`${root}/used/child`);
    await wire.createContainer(`${root}/in-use`);
    await wire.create(`${root}/in-use/child`);
    await wire.exists(`${root}/used`, true);
    await wire.remove(`${root}/used/child`);
    await waitFor(() => wire.client.events.length > 0, { what: 'the container to go' });
    expect(wire.client.events).toEqual([event('nodeDeleted', `${root}/used`)]);
    expect(await wire.children(root)).toEqual(['in-use', 'never-used']);
  });
});

describe('createTTL', () => {
  it('makes a node that is removed when its time is over and it has no children', async () => {
    const { root, wire } = await openScene();
    await wire.createTTL(`${root}/short`, 1n);
    await wire.createTTL(`${root}/long`, 2n ** 40n - 1n);
    await wire.createTTL(`${root}/parent`, 1n);
    await wire.create(`${root}/parent/child`);
    const gone = async (path: string) => (await wire.exists(path)).err === 'noNode';
    await waitFor(() => gone(`${root}/short`), { what: 'the node to go' });
    expect(await wire.children(root)).toEqual(['long', 'parent']);
    await wire.remove(`${root}/parent/child`);
    await waitFor(() => gone(`${root}/parent`), { what: 'the parent to go' });
  });

  it('makes a node whose time begins again when its data are set', async () => {
    const { root, wire } = await openScene();
    await wire.createTTL(`${root}/renewed`, 2_000n);
    await wire.createTTL(`${root}/left`, 2_000n);
    const leftIsGone = async () => {
      await wire.setData(`${root}/renewed`);
      return (await wire.exists(`${root}/left`)).err === 'noNode';
    };
    await waitFor(leftIsGone, { what: 'the other node to go' });
    expect(await wire.children(root)).toEqual(['renewed']);
  });
});

describe('sequence numbers', () => {
  it('count all nodes ever created below a node, deleted ones included', async () => {
    const { root, wire } = await openScene();
    const numbered = async () =>
      bodyOf(await wire.create(`${root}/n-`, { flags: 2 })).path.slice(root.length);
    expect(await numbered()).toBe('/n-0000000000');
    await wire.create(`${root}/plain`);
    expect(await numbered()).toBe('/n-0000000002');
    await wire.remove(`${root}/n-0000000002`);
    await wire.remove(`${root}/plain`);
    expect(await numbered()).toBe('/n-0000000003');
    await wire.create(`${root}/plain`, { flags: CreateMode.ephemeral });
    await wire.setData(root);
    expect(await numbered()).toBe('/n-0000000005');
  });
});
