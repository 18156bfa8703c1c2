import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from 'zk-client';
import { connect } from '../support/connect.js';
import { openLocks, shortSession } from '../support/locks.js';
import { openServer } from '../support/open-servers.js';
import { waitFor } from '../support/wait-for.js';

const PARENT = '/zookeeper/nestjs-zk-lock';
/** The node that heartbeats seem to delete. */
const NODE = `${PARENT}/none`;

const ONE_STRANGER = [{ perms: 1, id: { scheme: 'digest', id: 'stranger:x' } }];

async function createBoth(operator: Connection): Promise<void> {
  await operator.create(PARENT, Buffer.alloc(0));
  await operator.create(NODE, Buffer.from('theirs'));
}

it.each<[what: string, create: (operator: Connection) => Promise<unknown>]>([
  ['', createBoth],
  [
    'with a child ',
    async (operator) => {
      await createBoth(operator);
      await operator.create(`${NODE}/child`, Buffer.alloc(0));
    },
  ],
  [
    'whose directory no other client may change ',
    async (operator) => {
      await createBoth(operator);
      await operator.setAcl(PARENT, ONE_STRANGER);
    },
  ],
])(
  'a node %sin the place where heartbeats expect none costs no lock, and stays',
  async (_, create) => {
    const server = await openServer();
    const operator = await connect(server.port);
    onTestFinished(() => operator.abandon());
    const locks = await openLocks({ ...shortSession, servers: server.connectString });
    const lock = await locks.acquire('k');
    await create(operator);
    const beganAt = performance.now();
    const isOver = (): boolean => performance.now() - beganAt > 2 * shortSession.sessionTimeoutMs;
    await waitFor(() => lock.signal.aborted || isOver(), { what: 'two timeouts' });
    lock.assertHeld();
    expect((await operator.getData(NODE)).data?.toString()).toBe('theirs');
    // The next connection begins with such a proof.
    const others = await openLocks({ ...shortSession, servers: server.connectString });
    expect(await others.tryAcquire('k')).toBeNull();
  },
  60_000,
);
