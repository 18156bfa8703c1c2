import { Client, credentials } from '@grpc/grpc-js';
import { Etcd3, type Lease } from 'etcd3';
import type { Locksmith } from '../locksmith.js';

const LEASE_SECONDS = 10;

/**
 * The lock of etcd's servers (`v3lockpb.Lock`), in which callers queue. A lease is a holder, so
 * each task needs one of its own; leases are reused by later tasks.
 */
export async function openEtcdRpc(servers: string): Promise<Locksmith> {
  const hosts = servers.split(',');
  const etcd = new Etcd3({ hosts: hosts.map((host) => `http://${host}`) });
  await etcd.get('anything');
  const rpc = new Client(hosts[0] ?? '', credentials.createInsecure());
  const free: { lease: Lease; id: bigint }[] = [];

  const newLease = async () => {
    const lease = etcd.lease(LEASE_SECONDS);
    return { lease, id: BigInt(await lease.grant()) };
  };
  const ask = (method: string, request: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const asIs = (bytes: Buffer): Buffer => bytes;
      rpc.makeUnaryRequest(`/v3lockpb.Lock/${method}`, asIs, asIs, request, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  return {
    async take(key) {
      const holder = free.pop() ?? (await newLease());
      await ask('Lock', Buffer.concat([text(key), Buffer.of(0x10), varint(holder.id)]));
      return async () => {
        // The server names it in its answer.
        await ask('Unlock', text(`${key}/${holder.id.toString(16)}`));
        free.push(holder);
      };
    },
    async close() {
      rpc.close();
      await Promise.all(free.map(({ lease }) => lease.revoke()));
      etcd.close();
    },
  };
}

/** Field 1 of a message of Protocol Buffers. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.of(0x0a), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
