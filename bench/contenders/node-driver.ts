import { fileURLToPath } from 'node:url';
import { Driver } from './driver.js';

const program = fileURLToPath(new URL('../../dist/bench/driver/main.js', import.meta.url));

/** Starts the driver that was built, which uses the libraries that were built. */
export async function startNodeDriver(
  library: 'ours' | 'ours-guarded' | 'redlock' | 'etcd' | 'etcd-rpc' | 'raw-native' | 'raw-socket',
  servers: string,
  options: object = {},
): Promise<Driver> {
  const node = [process.execPath, '--expose-gc', program];
  const words = [...node, library, servers, JSON.stringify(options)];
  return Driver.start(words, `the driver of ${library}`);
}
