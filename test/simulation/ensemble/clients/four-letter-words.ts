import { formatId } from '../../../../libs/zk-embedded/src/format-id.js';
import type { ClientPort } from './client-port.js';

/** Like a real server, allows only `srvr` by default. */
export function answerTo(word: string, { service, connections }: ClientPort): string {
  if (word !== 'srvr') return `${word} is not executed because it is not in the whitelist.\n`;
  if (!service) return 'This ZooKeeper instance is not currently serving requests\n';
  const { database } = service.replica;
  return [
    'Zookeeper version: 3.8.0-simulated, built on 1970-01-01 00:00 UTC',
    'Latency min/avg/max: 0/0.0/0',
    'Received: 0',
    'Sent: 0',
    `Connections: ${connections.size}`,
    'Outstanding: 0',
    `Zxid: ${formatId(database.lastZxid)}`,
    `Mode: ${service.name}`,
    `Node count: ${database.tree.size}`,
    '',
  ].join('\n');
}
