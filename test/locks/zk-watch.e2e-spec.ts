import { expect, it } from 'vitest';
import { type LocksOptions, type ZkClient, type ZnodeEvent } from 'zk-locks';
import { ownNode } from '../support/own-node.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** A client behind a proxy, and a node for this test alone. */
async function open(options: Partial<LocksOptions> = {}) {
  const place = await openBehindProxy({ client: 'wire', ...options });
  return { ...place, zk: place.locks.client, path: await ownNode() };
}

function collect(zk: ZkClient, path: string, recursive = false) {
  const events: string[] = [];
  const ended: (Error | undefined)[] = [];
  const name = (of: string): string => of.slice(path.length) || '.';
  const onEvent = ({ type, path: where }: ZnodeEvent): void => {
    events.push(`${type} ${name(where)}`);
  };
  const stop = zk.onChange(path, onEvent, { recursive, onEnd: (error) => ended.push(error) });
  const come = async (...expected: string[]): Promise<void> => {
    await waitFor(() => events.length >= expected.length, {
      what: `${expected.join(', ')}; there are ${events.join(', ')}`,
    });
    expect(events.splice(0)).toEqual(expected);
  };
  return { events, ended, stop, come };
}

async function live(zk: ZkClient, path: string): Promise<void> {
  await zk.create(path);
  await zk.set(path, 'x');
  await zk.create(`${path}/c`);
  await zk.set(`${path}/c`, 'x');
  await zk.create(`${path}/c/d`);
  await zk.delete(`${path}/c/d`);
  await zk.delete(`${path}/c`);
  await zk.delete(path);
}
const plain = ['created .', 'changed .', 'children .', 'children .', 'deleted .'];
const deep = [
  ...['created .', 'changed .', 'created /c', 'changed /c', 'created /c/d'],
  ...['deleted /c/d', 'deleted /c', 'deleted .'],
];

it('a watch reports everything that happens to a znode, indefinitely', async () => {
  const { zk, others, path } = await open();
  const node = `${path}/n`;
  const watch = collect(zk, node);
  await watch.come('gap .');
  for (let round = 0; round < 2; round++) {
    await live(others.client, node);
    await watch.come(...plain);
  }
});

it('a recursive watch reports everything below it, beside one that is not recursive', async () => {
  const { zk, others, path } = await open();
  const node = `${path}/n`;
  const flat = collect(zk, node);
  await flat.come('gap .');
  const all = collect(zk, node, true);
  await all.come('gap .');
  await flat.come('gap .');
  await live(others.client, node);
  await all.come(...deep);
  await flat.come(...plain);
  all.stop();
  await flat.come('gap .');
  await live(others.client, node);
  await flat.come(...plain);
  expect(all.events).toEqual([]);
});

it('a watch is removed from the server with its last subscriber', async () => {
  const { zk, others, path, proxy } = await open();
  const [one, two] = [collect(zk, path), collect(zk, path)];
  await one.come('gap .');
  await two.come('gap .');
  one.stop();
  one.stop();
  await others.client.set(path, 'x');
  await two.come('changed .');
  two.stop();
  await zk.get(path);
  await proxy.resetCounters();
  await others.client.set(path, 'y');
  await zk.get(path);
  expect(await proxy.notifications()).toBe(0);
  expect([...one.events, ...two.events]).toEqual([]);
});
