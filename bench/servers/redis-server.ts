import { freePort } from '../../test/support/free-port.js';
import { makeTempDir, removeTempDir } from '../../test/support/temp-dir.js';
import type { RunningServer } from './running-server.js';
import { ServerProcess } from './server-process.js';

/**
 * @param fsync whether every write is on disk before its answer; otherwise nothing is ever written
 * to disk
 */
export async function startRedis(fsync: boolean): Promise<RunningServer> {
  const port = await freePort();
  const directory = makeTempDir('redis');
  const durable = fsync
    ? ['--appendonly', 'yes', '--appendfsync', 'always']
    : ['--appendonly', 'no'];
  const words = [
    ...['redis-server', '--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
    // Snapshots are also disabled.
    ...['--save', '', ...durable],
  ];
  const server = await ServerProcess.start(words, port);
  return {
    ports: [port],
    stop: async () => {
      await server.stop();
      removeTempDir(directory);
    },
  };
}
