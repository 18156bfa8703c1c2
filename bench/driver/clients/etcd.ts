import { Etcd3, EtcdLockFailedError } from 'etcd3';
import type { Locksmith, Release } from '../locksmith.js';
import { untilGiven } from './retry.js';

const LEASE_SECONDS = 10;

/** Its only mode is exclusive, so a reader is a writer. */
export async function openEtcd(servers: string): Promise<Locksmith> {
  const client = new Etcd3({ hosts: servers.split(',').map((server) => `http://${server}`) });
  await client.get('anything');
  const tryTake = async (key: string): Promise<Release | undefined> => {
    try {
      const lock = await client.lock(key).ttl(LEASE_SECONDS).acquire();
      return () => lock.release();
    } catch (error) {
      if (error instanceof EtcdLockFailedError) return undefined;
      throw error;
    }
  };
  return {
    take: (key) => untilGiven(() => tryTake(key)),
    tryTake,
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
}
