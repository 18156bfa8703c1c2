import { fileURLToPath } from 'node:url';
import { CommandProcess } from '../../test/support/command-process.js';
import { Driver } from './driver.js';

const program = fileURLToPath(new URL('../driver/dist/main.js', import.meta.url));

/** Starts the driver that was built, which uses the libraries that were built. */
export async function startNodeDriver(
  library: 'ours' | 'redlock' | 'etcd' | 'raw-native' | 'raw-socket',
  servers: string,
  options: object = {},
): Promise<Driver> {
  const args = ['--expose-gc', program, library, servers, JSON.stringify(options)];
  const started = CommandProcess.start(process.execPath, args, {
    name: `the driver of ${library}`,
  });
  return new Driver(await started);
}
