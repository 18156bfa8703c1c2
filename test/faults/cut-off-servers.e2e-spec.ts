import { beforeAll, expect, it } from 'vitest';
import { connect } from '../support/connect.js';
import { toldBeforeGrant } from '../support/contest.js';
import { LinkedEnsemble } from '../support/linked-ensemble.js';
import { briefSession, openWorker } from '../support/locks.js';

/*
 * A follower that is cut off from its leader continues to answer pings and reads for `syncLimit ×
 * tickTime`, here ten seconds, and a leader that has lost its followers without noticing continues
 * to answer `sync`. Meanwhile the other servers end the sessions of its clients after their
 * timeouts. If a client counted such answers as a sign of life, it would keep a lock that another
 * client has.
 *
 * These servers also refuse requests that an ACL forbids without asking their leader.
 */

let ensemble: LinkedEnsemble;

beforeAll(async () => {
  const systemProperties = { 'zookeeper.enableEagerACLCheck': 'true' };
  ensemble = await LinkedEnsemble.start({ systemProperties });
  return () => ensemble.stop();
});

/** A process that holds a lock through one server, and another that waits for it through others. */
async function contend(key: string, server: string, others: string) {
  const holder = await openWorker({ ...briefSession, servers: server });
  const waiter = await openWorker({ ...briefSession, servers: others });
  const held = await holder.acquire(key);
  const waiting = waiter.acquire(key);
  return { toldInTime: () => toldBeforeGrant(holder, held, waiting) };
}

/** Another user creates a node below which no other client may write. */
async function reserve(port: number, path: string): Promise<void> {
  const stranger = await connect(port);
  const acl = [{ permissions: 1, scheme: 'digest', id: 'stranger:x' }];
  await stranger.create(path, Buffer.alloc(0), 'persistent', { acl });
  await stranger.close();
}

it('tells the holder on a cut-off follower before the lock is given to another process', async () => {
  const leader = await ensemble.servers.leader();
  const [follower] = await ensemble.servers.followers();
  await reserve(leader.port, '/zookeeper/nestjs-zk-lock');
  const { toldInTime } = await contend('k', follower!.connectString, leader.connectString);
  await ensemble.freezeLinksFrom(follower!);
  await toldInTime();
  expect(await follower!.mode()).toBe('follower');
  await ensemble.thawLinks();
});

it('tells the holder on a leader without a quorum before the lock is given to another process', async () => {
  const leader = await ensemble.servers.leader();
  const followers = await ensemble.servers.followers();
  const others = followers.map(({ connectString }) => connectString).join(',');
  const { toldInTime } = await contend('l', leader.connectString, others);
  await ensemble.depose(leader);
  await toldInTime();
});
