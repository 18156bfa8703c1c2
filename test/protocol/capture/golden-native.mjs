/**
 * What npm `zookeeper` and its C client send: run with the port of a relay. In a process of its
 * own, because the client blocks the thread that closes it until the server has answered.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import ZooKeeper from 'zookeeper';

const client = new ZooKeeper({
  connect: `127.0.0.1:${process.argv[2]}`,
  timeout: 4_000,
  debug_level: 0,
});
client.init({});
await once(client, 'connect');

const { native } = client;
const hello = Buffer.from('hello');
const ignore = () => {};

async function ask(method, ...args) {
  return new Promise((resolve) => native[method](...args, (code) => resolve(code)));
}

assert.deepEqual(
  [
    await ask('a_create', '/native', hello, 0),
    await ask('a_create', '/native/n-', Buffer.alloc(0), 3),
    await ask('a_create', '/native/box', hello, 4),
    await ask('a_create_ttl', '/native/ttl', hello, 5, 60_000),
    await ask('a_create', '/native', hello, 0),
    await ask('aw_exists', '/native/later', ignore),
    await ask('aw_get', '/native', ignore),
    await ask('a_set', '/native', Buffer.from('new'), 0),
    await ask('aw_get_children', '/native', ignore),
    await ask('a_get_children2', '/native', false),
    await ask('a_delete_', '/native/box', 0),
    await ask('a_get_acl', '/native'),
    await ask('a_set_acl', '/native', 0, [{ perm: 31, scheme: 'world', auth: 'anyone' }]),
    await ask('a_sync', '/native'),
    await ask('add_auth', 'digest', 'ann:secret'),
    await ask('aw_get', '/native', ignore),
    await ask('aw_get_children', '/native', ignore),
  ],
  [0, 0, 0, 0, -110, -101, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
);

const reconnected = once(client, 'connect');
console.log('cut');
await reconnected;
await ask('a_exists', '/native', false);
// Closing inside one of the client's own callbacks aborts the process.
await new Promise((resolve) => setImmediate(resolve));
client.close();
process.exit(0);
