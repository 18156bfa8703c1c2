import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { Driver } from './driver.js';

const built = fileURLToPath(new URL('../../dist', import.meta.url));
const PROGRAM = 'bench/driver/main.js';

/** Starts the built driver with the built libraries. */
export async function startNodeDriver(
  library: 'ours' | 'ours-guarded' | 'redlock' | 'raw-socket',
  servers: string,
  options: object = {},
  program = join(built, PROGRAM),
): Promise<Driver> {
  const node = [process.execPath, '--expose-gc', program];
  const words = [...node, library, servers, JSON.stringify(options)];
  return Driver.start(words, `the driver of ${library}`);
}

/**
 * Copies the driver that was built here to a place where it finds the libraries of another
 * checkout.
 *
 * @returns its path
 * @throws {Error} if that checkout has no built libraries
 */
export function programWith(checkout: string): string {
  const root = resolve(checkout);
  for (const needed of ['node_modules', 'libs/nestjs-zk-lock/dist', 'libs/zk-locks/dist']) {
    if (existsSync(join(root, needed))) continue;
    throw new Error(`--against: ${root} has no ${needed}; run \`npm ci && npm run build\` there`);
  }
  const place = makeTempDir('bench-against');
  cpSync(built, place, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  return join(place, PROGRAM);
}
