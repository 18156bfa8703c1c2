import type { Settings } from './settings.js';
import type { ZooKeeper } from './zookeeper.module.js';

/** What a replica says once it sells tickets, and how to watch its locks. */
export function greet(
  url: string,
  { stateFile }: Settings,
  { connectString, stop }: ZooKeeper,
): string {
  const whose = stop ? 'embedded in this process at' : 'at';
  const ends = stop ? '; it ends with this process' : '';
  return [
    `ZooKeeper: ${whose} ${connectString}${ends}`,
    `Box office: ${url}, its sales in ${stateFile}`,
    `Lock board: ${url}/locks`,
    '',
    'Watch a lock work: sales wait during an audit, and a second audit is refused (423).',
    `  curl -sw '\\n' -X POST ${url}/shows/hamlet/audit & sleep 0.3; curl -isw '\\n' -X POST '${url}/shows/hamlet/audit?timeoutMs=100'; curl -sw '\\n' -X POST ${url}/shows/hamlet/tickets`,
    'Start a second replica in another terminal; what one locks, the other waits for.',
    `  PORT=0 ZK_CONNECT=${connectString} DEMO_STATE=${stateFile} npm start`,
  ].join('\n');
}
